import { Command, Option } from 'commander';
import { DynamoDbLedger } from '../adapters/dynamodb-run-store/dynamodb-ledger.ts';
import type { RunRecord } from '../domain/run/run-record.ts';
import { assertKnown, carryOut } from './carry-out.ts';
import { parseCount } from './count-option.ts';
import { type InstantOption, parseInstantOption } from './instant-option.ts';
import { runJson, runsText } from './print/runs-table.ts';
import { type Target, type TargetFlags, withTarget } from './target.ts';

const STATUSES = ['running', 'pending', 'succeeded', 'failed', 'timedOut', 'skipped', 'missed'] as const;

interface RunsFlags extends TargetFlags {
  readonly from?: InstantOption;
  readonly to?: InstantOption;
  readonly status?: readonly string[];
  readonly limit: number;
  readonly json: boolean;
}

/** `belfry runs <job>`: what happened, the newest first. */
export function runsCommand(): Command {
  return withTarget(new Command('runs'))
    .description('what happened to a job: its runs, the newest first')
    .argument('<job>', 'name of the job')
    .option('--from <instant>', 'scheduled at or after it, or so long ago: 24h, 7d', parseInstantOption)
    .option('--to <instant>', 'scheduled at or before it', parseInstantOption)
    .addOption(new Option('--status <status...>', 'only with one of these').choices(STATUSES))
    .option('--limit <number>', 'at most so many', parseCount, 20)
    .option('--json', 'one JSON object on stdout', false)
    .action(async (job: string, flags: RunsFlags) => {
      process.exitCode = await carryOut(flags, async (target) => {
        const runs = await findRuns(target, job, flags);
        if (runs.length === 0) assertKnown(target, job);
        process.stdout.write(
          flags.json ? `${JSON.stringify({ job, runs: runs.map(runJson) })}\n` : runsText(job, runs),
        );
        return 0;
      });
    });
}

async function findRuns(target: Target, job: string, { from, to, status, limit }: RunsFlags): Promise<RunRecord[]> {
  const ledger = new DynamoDbLedger(target.client, target.tableName);
  const { now } = target;
  const range = { ...(from === undefined ? {} : { from: from(now) }), ...(to === undefined ? {} : { to: to(now) }) };
  const found: RunRecord[] = [];
  // A filter may pass few of many: larger pages then.
  for await (const page of ledger.runs(job, range, status === undefined ? limit : 200)) {
    found.push(...page.filter((run) => status === undefined || status.includes(run.status)));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}
