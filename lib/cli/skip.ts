import { Command } from 'commander';
import { formatInstant } from '../domain/time/instant.ts';
import { type InstantOption, parseInstantOption } from './instant-option.ts';
import { type OperateFlags, operate, withOperator } from './operate.ts';

/** `belfry skip <job> <scheduledTime>`: one occurrence that will not run. */
export function skipCommand(): Command {
  return withOperator(new Command('skip'))
    .description('record an occurrence that has not begun as skipped: it will not run')
    .argument('<scheduledTime>', 'when it is due, like 2026-10-31T23:00:00Z', parseInstantOption)
    .action((job: string, scheduledTime: InstantOption, flags: OperateFlags) =>
      operate(job, flags, async ({ operator, target, request, now }) => {
        const at = scheduledTime(now);
        await operator.skip(target, at, request);
        const instant = formatInstant(at);
        return { answer: { scheduledTime: instant, status: 'skipped' }, say: `${job} skips ${instant}` };
      }),
    );
}
