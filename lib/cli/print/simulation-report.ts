import Table from 'cli-table3';
import type { SimulatedRun } from '../../domain/simulation/simulated-run.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import type { Simulation } from '../simulate.ts';
import { formatDuration, paint, paintStatus } from './dev-lines.ts';
import { localTime } from './runs-table.ts';

/** Beyond this many a person wants the count, and a program takes `--json`. */
const MOST_NAMED = 40;
const NAMED_ALONE = 3;
const RUNS_A_PART = 1_000;

const STATUSES = ['succeeded', 'failed', 'skipped', 'missed'] as const;

/** `{environment, from, to, jobs: [{job, timeZone, counts}], timeline: [...]}`, in parts: a timeline may be long. */
export function* simulationJson({ environment, from, to, jobs, timeline }: Simulation): Generator<string> {
  const counts = countsByJob(timeline);
  const head = {
    environment,
    from: formatInstant(from),
    to: formatInstant(to),
    jobs: jobs.map(({ name, timeZone }) => ({ job: name, timeZone, ...(counts.get(name) ?? noCounts()) })),
  };
  yield `${JSON.stringify(head).slice(0, -1)},"timeline":[`;
  for (let start = 0; start < timeline.length; start += RUNS_A_PART) {
    const part = timeline.slice(start, start + RUNS_A_PART).map((run) => JSON.stringify(runJson(run)));
    yield `${start === 0 ? '' : ','}${part.join(',')}`;
  }
  yield ']}\n';
}

function runJson({ scheduledTime, startedAt, endedAt, ...rest }: SimulatedRun): object {
  return {
    ...rest,
    scheduledTime: formatInstant(scheduledTime),
    ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt).toISOString() }),
    ...(endedAt === undefined ? {} : { endedAt: new Date(endedAt).toISOString() }),
  };
}

/** A table of the jobs, then whatever is not simply a run at its time. */
export function simulationText({ environment, from, to, jobs, timeline }: Simulation): string {
  const counts = countsByJob(timeline);
  const table = new Table({
    head: ['job', 'zone', 'overlap', ...STATUSES],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'left', 'left', ...STATUSES.map(() => 'right' as const)],
  });
  for (const { name, timeZone, overlap } of jobs) {
    const ofJob = counts.get(name) ?? noCounts();
    table.push([
      name,
      timeZone,
      overlap,
      ...STATUSES.map((status) => (ofJob[status] === 0 ? '' : ofJob[status].toLocaleString('en'))),
    ]);
  }
  const zones = new Map(jobs.map(({ name, timeZone }) => [name, timeZone]));
  const groups = groupsOf(timeline);
  const lines = groups.slice(0, MOST_NAMED).map((one) => line(one, zones.get(one.first.job) ?? 'UTC'));
  if (groups.length > MOST_NAMED) lines.push(`and ${groups.length - MOST_NAMED} more: --json names them all`);
  if (groups.length === 0) lines.push('every occurrence starts at its time and succeeds');
  const range = `${environment}, ${formatInstant(from)} to ${formatInstant(to)}`;
  return `${paint('dim', range)}\n${table.toString()}\n${lines.join('\n')}\n`;
}

/** Occurrences of one job that have the same fate. */
interface Group {
  readonly first: SimulatedRun;
  readonly last: SimulatedRun;
  readonly count: number;
}

/** What is not simply a run at its time. A few are named, many of one kind are one line. */
function groupsOf(timeline: readonly SimulatedRun[]): readonly Group[] {
  const byFate = new Map<string, SimulatedRun[]>();
  for (const run of timeline) {
    if (!isRemarkable(run)) continue;
    const fate = `${run.job} ${run.status} ${run.cause} ${run.deliveredBy}`;
    const same = byFate.get(fate);
    if (same === undefined) byFate.set(fate, [run]);
    else same.push(run);
  }
  const groups = [...byFate.values()].flatMap((runs) =>
    runs.length <= NAMED_ALONE ? runs.map((run) => [run]) : [runs],
  );
  return groups
    .flatMap((runs) => {
      const [first, last] = [runs[0], runs.at(-1)];
      return first === undefined || last === undefined ? [] : [{ first, last, count: runs.length }];
    })
    .sort((one, other) => one.first.scheduledTime - other.first.scheduledTime);
}

function isRemarkable({ status, deliveredBy, startedAt, scheduledTime }: SimulatedRun): boolean {
  return status !== 'succeeded' || deliveredBy === 'watchdog' || startedAt !== scheduledTime;
}

function line({ first, last, count }: Group, timeZone: string): string {
  const { job, status, cause, deliveredBy } = first;
  const late = Math.max(...[first, last].map(({ startedAt = 0, scheduledTime }) => startedAt - scheduledTime));
  const what = [
    cause === undefined ? paintStatus(status) : `${paintStatus(status)}: ${EXPLAINED[cause]}`,
    ...(late > 0 ? [`starts ${formatDuration(late)} late`] : []),
    ...(deliveredBy === 'watchdog' ? ['started by the watchdog'] : []),
    ...(count === 1 ? [] : [`${count.toLocaleString('en')} times`]),
  ];
  const until = count === 1 ? '' : ` to ${formatInstant(last.scheduledTime)}`;
  const local = paint('dim', `(${localTime(first.scheduledTime, timeZone)})`);
  return `${formatInstant(first.scheduledTime)} ${local}${until}  ${paint('bold', job)}  ${what.join(', ')}`;
}

const EXPLAINED: { readonly [Cause in NonNullable<SimulatedRun['cause']>]: string } = {
  overlap: 'the run before is still going',
  gap: 'the clock jumps over its time',
  excluded: 'the time is shown twice, and this is not the one',
  cancelled: 'its successor stops it',
  outage: 'nothing starts in the outage, and it is not caught up',
};

type Counts = Record<(typeof STATUSES)[number], number>;

function countsByJob(timeline: readonly SimulatedRun[]): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const { job, status } of timeline) {
    let ofJob = counts.get(job);
    if (ofJob === undefined) {
      ofJob = noCounts();
      counts.set(job, ofJob);
    }
    ofJob[status] += 1;
  }
  return counts;
}

function noCounts(): Counts {
  return { succeeded: 0, failed: 0, skipped: 0, missed: 0 };
}
