import { Command } from 'commander';
import { DynamoDbRunStore } from '../adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { assertKnown, carryOut } from './carry-out.ts';
import { type InstantOption, parseInstantOption } from './instant-option.ts';
import { runJson, runText } from './print/runs-table.ts';
import { type TargetFlags, withTarget } from './target.ts';

interface RunFlags extends TargetFlags {
  readonly json: boolean;
}

/** `belfry run <job> <scheduledTime>`: one run in full. */
export function runCommand(): Command {
  return withTarget(new Command('run'))
    .description('one run in full')
    .argument('<job>', 'name of the job')
    .argument('<scheduledTime>', 'when it was due, like 2026-10-31T23:00:00Z', parseInstantOption)
    .option('--json', 'one JSON object on stdout', false)
    .action(async (job: string, scheduledTime: InstantOption, flags: RunFlags) => {
      process.exitCode = await carryOut(flags, async (target) => {
        const key = { job, scheduledTime: scheduledTime(target.now) };
        const run = await new DynamoDbRunStore(target.client, target.tableName).getRun(key);
        if (run === undefined) {
          assertKnown(target, job);
          process.stderr.write(
            `job '${job}' has no run of ${new Date(key.scheduledTime).toISOString()}: see 'belfry runs ${job}' for those it has\n`,
          );
          return 1;
        }
        const definition = target.jobs.find(({ name }) => name === job);
        process.stdout.write(flags.json ? `${JSON.stringify(runJson(run))}\n` : runText(run, definition));
        return 0;
      });
    });
}
