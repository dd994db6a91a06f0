import type { OccurrenceKey } from '../../../domain/contract/occurrence-key.ts';
import type { ConsoleChange, ConsoleJob, ConsoleRun, ConsoleState } from '../console-state.ts';

export const DAY_MS = 86_400_000;
const MOST_NOTES = 50;

/** The console's state as the page keeps it. */
export interface Model extends Omit<ConsoleState, 'runs'> {
  readonly runs: ReadonlyMap<string, ConsoleRun>;
}

export function keyOf({ job, scheduledTime }: OccurrenceKey): string {
  return `${job} ${scheduledTime}`;
}

export function modelOf(state: ConsoleState): Model {
  return { ...state, runs: new Map(state.runs.map((run) => [keyOf(run), run])) };
}

/** The model after a change: runs that are more than a day old fall out. */
export function changed(model: Model, change: ConsoleChange): Model {
  const { runs, notes, ...rest } = change;
  const next = { ...model, ...rest };
  const oldest = next.clock.now - DAY_MS;
  const isOld = [...model.runs.values()].some(({ scheduledTime }) => scheduledTime < oldest - DAY_MS / 24);
  if (runs === undefined && notes === undefined && !isOld) return next;
  const kept = isOld ? [...model.runs].filter(([, { scheduledTime }]) => scheduledTime >= oldest) : model.runs;
  return {
    ...next,
    runs:
      runs === undefined && !isOld
        ? model.runs
        : new Map([...kept, ...(runs ?? []).map((run) => [keyOf(run), run] as const)]),
    notes: notes === undefined ? model.notes : [...model.notes, ...notes].slice(-MOST_NOTES),
  };
}

/** Whether somebody asked for this occurrence to be skipped. */
export function isSkipped({ runs }: Model, occurrence: OccurrenceKey): boolean {
  return runs.get(keyOf(occurrence))?.status === 'skipped';
}

/** When the job is due next and not skipped, as far as the page sees ahead. */
export function nextToRun(model: Model, { name, next }: ConsoleJob): number | undefined {
  const runs = (scheduledTime: number) => !isSkipped(model, { job: name, scheduledTime });
  if (next === undefined || runs(next)) return next;
  return model.upcoming[name]?.find((at) => at > next && runs(at));
}

export interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  readonly missed: number;
  readonly skipped: number;
  readonly running: number;
  readonly pending: number;
}

export function countRuns(runs: Iterable<ConsoleRun>): Counts {
  const counts = { succeeded: 0, failed: 0, missed: 0, skipped: 0, running: 0, pending: 0 };
  for (const { status } of runs) {
    if (status === 'timedOut') counts.failed++;
    else if (status in counts) counts[status as keyof Counts]++;
  }
  return counts;
}

/** The newest first. There may be a hundred thousand of which a few are wanted, so the rest is never sorted. */
export function latestRuns(runs: Iterable<ConsoleRun>, count: number): ConsoleRun[] {
  const newestFirst = (a: ConsoleRun, b: ConsoleRun) => b.scheduledTime - a.scheduledTime || (a.job < b.job ? -1 : 1);
  let kept: ConsoleRun[] = [];
  for (const run of runs) {
    kept.push(run);
    if (kept.length > 4 * count + 100) kept = kept.sort(newestFirst).slice(0, count);
  }
  return kept.sort(newestFirst).slice(0, count);
}

/** The newest run of each job. What is recorded ahead of its time is not what happened last. */
export function lastRuns(runs: Iterable<ConsoleRun>, now: number): ReadonlyMap<string, ConsoleRun> {
  const last = new Map<string, ConsoleRun>();
  for (const run of runs) {
    if (run.status === 'skipped' && run.scheduledTime > now) continue;
    if (run.scheduledTime > (last.get(run.job)?.scheduledTime ?? Number.NEGATIVE_INFINITY)) last.set(run.job, run);
  }
  return last;
}
