import { Command, InvalidArgumentError } from 'commander';
import { SystemClock } from '../adapters/system-clock/system-clock.ts';
import { BelfryError } from '../domain/errors.ts';
import type { JobDefinition } from '../domain/job.ts';
import { simulateJob } from '../domain/simulation/simulate-job.ts';
import type { Outage, SimulatedRun } from '../domain/simulation/simulated-run.ts';
import { declaredJobs } from '../local/declared-jobs.ts';
import { parseDuration } from './duration-option.ts';
import { parseInstantOption } from './instant-option.ts';
import { simulationJson, simulationText } from './print/simulation-report.ts';

interface SimulateFlags {
  readonly environment: string;
  readonly from?: number;
  readonly to?: number;
  readonly job: readonly string[];
  readonly outage: readonly Outage[];
  readonly duration?: number;
  readonly json: boolean;
}

export interface Simulation {
  readonly environment: string;
  /** Epoch milliseconds: after `from` (exclusive) up to `to` (inclusive). */
  readonly from: number;
  readonly to: number;
  readonly jobs: readonly JobDefinition[];
  /** By scheduled time. */
  readonly timeline: readonly SimulatedRun[];
}

const WEEK_MS = 7 * 86_400_000;

/** `belfry simulate`: what would become of every occurrence. Nothing is deployed, run or recorded. */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description('say what will become of every occurrence between two instants: overlaps, clock changes, outages')
    .option('--environment <name>', 'which environment of the app in this folder', 'dev')
    .option('--from <instant>', 'begin after this instant, e.g. 2026-10-31T23:00Z (default: now)', parseInstant)
    .option('--to <instant>', 'end there (default: a week later)', parseInstant)
    .option(
      '--job <name>',
      'only this job; may be given again',
      (name: string, all: readonly string[]) => [...all, name],
      [],
    )
    .option(
      '--outage <from/to>',
      'nothing starts in between, e.g. 2026-11-01T02:00Z/2026-11-01T06:00Z; may be given again',
      (text: string, all: readonly Outage[]) => [...all, parseOutage(text)],
      [],
    )
    .option(
      '--duration <time>',
      "how long every run takes, e.g. 90s (default: the job's expectedDuration)",
      parseDuration,
    )
    .option('--json', 'one JSON object on stdout: {environment, from, to, jobs, timeline}', false)
    .action(async (flags: SimulateFlags) => {
      process.exitCode = await simulate(flags);
    });
}

/** Returns the exit code: 0 simulated, 1 the app cannot be synthesised, 2 wrong input. */
async function simulate(flags: SimulateFlags): Promise<number> {
  try {
    const from = flags.from ?? new SystemClock().now();
    const to = flags.to ?? from + WEEK_MS;
    assertRange(from, to);
    const outages = inOrder(flags.outage);
    const jobs = chosen(await declaredJobs(process.cwd(), flags.environment), flags);
    const options = { from, to, outages, ...(flags.duration === undefined ? {} : { durationMs: flags.duration }) };
    const timeline = jobs.flatMap((job) => [...simulateJob(job, options)]);
    timeline.sort((one, other) => one.scheduledTime - other.scheduledTime || one.job.localeCompare(other.job));
    const simulation: Simulation = { environment: flags.environment, from, to, jobs, timeline };
    if (flags.json) for (const part of simulationJson(simulation)) await written(part);
    else process.stdout.write(simulationText(simulation));
    return 0;
  } catch (error) {
    if (!(error instanceof BelfryError)) throw error;
    process.stderr.write(`belfry simulate: ${error.message}\n`);
    return error.code === 'SynthFailed' ? 1 : 2;
  }
}

/** A long timeline is written as fast as it is read. */
function written(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function chosen(jobs: readonly JobDefinition[], { job: names, environment }: SimulateFlags): readonly JobDefinition[] {
  const known = jobs.map(({ name }) => name);
  for (const name of names) {
    if (!known.includes(name)) {
      throw new BelfryError('UnknownJob', `there is no job '${name}' in ${environment}: known are ${known.join(', ')}`);
    }
  }
  return names.length === 0 ? jobs : jobs.filter(({ name }) => names.includes(name));
}

function assertRange(from: number, to: number): void {
  if (from < to) return;
  throw new BelfryError(
    'EmptyRange',
    `--from ${new Date(from).toISOString()} is not before --to ${new Date(to).toISOString()}: give an earlier --from or a later --to`,
  );
}

function inOrder(outages: readonly Outage[]): readonly Outage[] {
  const sorted = outages.toSorted((one, other) => one.from - other.from);
  sorted.forEach((outage, index) => {
    const next = sorted[index + 1];
    if (next === undefined || outage.to <= next.from) return;
    throw new BelfryError(
      'OutagesOverlap',
      `two outages overlap at ${new Date(next.from).toISOString()}: give them as one`,
    );
  });
  return sorted;
}

function parseInstant(text: string): number {
  return parseInstantOption(text)(new SystemClock().now());
}

function parseOutage(text: string): Outage {
  const [begin = '', end = '', ...rest] = text.split('/');
  const outage = { from: parseInstant(begin), to: parseInstant(end) };
  if (rest.length > 0 || outage.from >= outage.to) {
    throw new InvalidArgumentError('Give two instants, the earlier first, like 2026-11-01T02:00Z/2026-11-01T06:00Z.');
  }
  return outage;
}
