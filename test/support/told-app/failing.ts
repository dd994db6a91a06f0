import { defineJob } from '../../../lambdas/runtime/index.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;

/** `broken` fails in the second quarter of an hour; `flaky` fails at each first attempt. */
export const handler = defineJob(({ jobName, attempt, scheduledTime }) => {
  const quarter = Math.floor((scheduledTime.getTime() % HALF_AN_HOUR_MS) / (HALF_AN_HOUR_MS / 2));
  if (jobName === 'broken' ? quarter === 1 : attempt === 1) throw new Error(`attempt ${attempt} of ${jobName}`);
});
