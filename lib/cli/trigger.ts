import { Command } from 'commander';
import { formatInstant } from '../domain/time/instant.ts';
import { type OperateFlags, operate, withFunction, withOperator } from './operate.ts';
import { samePlace } from './target.ts';

/** `belfry trigger <job>`: a run of its own, now. */
export function triggerCommand(): Command {
  return withFunction(withOperator(new Command('trigger')))
    .description('start a run of its own now, beside those that are due; also while the job is paused')
    .action((job: string, flags: OperateFlags) =>
      operate(job, flags, async ({ operator, target, request }) => {
        const scheduledTime = formatInstant(await operator.trigger(target, request));
        const say = `${job} was asked to run, as ${scheduledTime}: see 'belfry run ${job} ${scheduledTime}${samePlace(flags)}'`;
        return { answer: { scheduledTime, trigger: 'manual' }, say };
      }),
    );
}
