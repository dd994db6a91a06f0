import { Command } from 'commander';
import { DynamoDbLedger } from '../adapters/dynamodb-run-store/dynamodb-ledger.ts';
import { DynamoDbJobStates } from '../adapters/dynamodb-watch-store/dynamodb-job-states.ts';
import type { RunRecord } from '../domain/run/run-record.ts';
import { parseSchedule } from '../domain/schedule/parse-schedule.ts';
import { isPausedNow, type JobState } from '../domain/watch/job-state.ts';
import type { RosterEntry } from '../domain/watch/watch-state.ts';
import { carryOut } from './carry-out.ts';
import { jobsJson, jobsText } from './print/jobs-table.ts';
import { type Target, type TargetFlags, withTarget } from './target.ts';

interface JobsFlags extends TargetFlags {
  readonly paused: boolean;
  readonly json: boolean;
}

export interface JobSummary {
  readonly job: RosterEntry;
  /** Epoch milliseconds; undefined when it is never due again. */
  readonly next: number | undefined;
  readonly state: JobState | undefined;
  readonly isPaused: boolean;
  readonly last: RunRecord | undefined;
}

const JOBS_AT_A_TIME = 8;

/** `belfry jobs`: what is declared, when it is due next and how it went last. */
export function jobsCommand(): Command {
  return withTarget(new Command('jobs'))
    .description('what is declared: when each job is due next, how it went last, what is paused')
    .option('--paused', 'only jobs that are paused', false)
    .option('--json', 'one JSON object on stdout', false)
    .action(async (flags: JobsFlags) => {
      process.exitCode = await carryOut(flags, async (target) => {
        const summaries = (await summarise(target)).filter(({ isPaused }) => isPaused || !flags.paused);
        process.stdout.write(flags.json ? `${JSON.stringify(jobsJson(summaries))}\n` : jobsText(summaries, target));
        return 0;
      });
    });
}

async function summarise(target: Target): Promise<readonly JobSummary[]> {
  const ledger = new DynamoDbLedger(target.client, target.tableName);
  const states = await new DynamoDbJobStates(target.client, target.tableName).loadJobStates(
    target.jobs.map(({ name }) => name),
  );
  const summaries = new Map<string, JobSummary>();
  const waiting = target.jobs.values();
  const work = async () => {
    for (const job of waiting) {
      const { schedule, timeZone, dst, name } = job;
      const state = states.get(name);
      summaries.set(name, {
        job,
        next: parseSchedule(schedule, { timeZone, dst }).next(target.now),
        state,
        isPaused: isPausedNow(state, target.now),
        last: await newest(ledger, name, target.now),
      });
    }
  };
  await Promise.all(Array.from({ length: JOBS_AT_A_TIME }, work));
  return [...summaries.values()].sort((a, b) => a.job.name.localeCompare(b.job.name));
}

/** What is recorded ahead of its time is not what happened last. */
async function newest(ledger: DynamoDbLedger, job: string, now: number): Promise<RunRecord | undefined> {
  for await (const runs of ledger.runs(job, {}, 5)) {
    const run = runs.find(({ cause, scheduledTime }) => cause !== 'excluded' && scheduledTime <= now);
    if (run !== undefined) return run;
  }
  return undefined;
}
