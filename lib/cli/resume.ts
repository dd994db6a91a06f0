import { Command } from 'commander';
import { type OperateFlags, operate, withOperator } from './operate.ts';

/** `belfry resume <job>`: ends a pause. */
export function resumeCommand(): Command {
  return withOperator(new Command('resume'))
    .description('end the pause of a job: what waited goes on, what was skipped stays so')
    .action((job: string, flags: OperateFlags) =>
      operate(job, flags, async ({ operator, target, request }) => {
        const { pausedBy, pauseNote, pausedAt } = await operator.resume(target, request);
        const pause = {
          ...(pausedBy === undefined ? {} : { by: pausedBy }),
          ...(pauseNote === undefined ? {} : { note: pauseNote }),
          ...(pausedAt === undefined ? {} : { at: new Date(pausedAt).toISOString() }),
        };
        return { answer: { paused: false, pause }, say: `${job} goes on` };
      }),
    );
}
