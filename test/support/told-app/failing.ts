import { defineJob } from '../../../lambdas/runtime/index.ts';

/** `broken` fails from the tenth minute of an hour to the twentieth; `flaky` fails at each first attempt. */
export const handler = defineJob(({ jobName, attempt, scheduledTime }) => {
  const minute = scheduledTime.getUTCMinutes();
  const isBroken = minute >= 10 && minute < 20;
  if (jobName === 'broken' ? isBroken : attempt === 1) throw new Error(`attempt ${attempt} of ${jobName}`);
});
