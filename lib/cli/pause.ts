import { Command } from 'commander';
import { type OperateFlags, operate, withOperator } from './operate.ts';

/** `belfry pause <job> --note`: no scheduled run starts until it is resumed. */
export function pauseCommand(): Command {
  return withOperator(new Command('pause'))
    .description("let no scheduled run start until 'belfry resume'; what is due meanwhile is recorded as skipped")
    .action((job: string, flags: OperateFlags) =>
      operate(job, flags, async ({ operator, target, request }) => {
        await operator.pause(target, request);
        return { answer: { paused: true }, say: `${job} is paused` };
      }),
    );
}
