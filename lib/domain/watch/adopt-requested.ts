import type { OccurrenceKey } from '../contract/occurrence-key.ts';
import { isDead, isFinished, type RunRecord } from '../run/run-record.ts';
import type { WatchedJob } from './due.ts';
import type { OpenOccurrence } from './watch-state.ts';

/**
 * Runs that a person asked for, as the watchdog looks after them: nobody promised that they start, but one that has a record
 * is delivered until it has its outcome. Those of jobs that are gone are left out.
 */
export function adoptRequested(
  jobs: readonly WatchedJob[],
  requested: readonly OccurrenceKey[],
): readonly OpenOccurrence[] {
  if (requested.length === 0) return [];
  const declared = new Map(jobs.map((job) => [job.entry.name, job]));
  return requested.flatMap(({ job, scheduledTime }) => {
    const watched = declared.get(job);
    if (watched === undefined) return [];
    const { patienceMs, entry } = watched;
    const { maxAttempts } = entry.retry;
    return [{ job, scheduledTime, startBy: scheduledTime + patienceMs, maxAttempts, adopted: true } as const];
  });
}

export function isAskedFor(run: RunRecord | undefined): boolean {
  return run?.trigger === 'manual' || run?.trigger === 'backfill';
}

/**
 * Of what people asked for, jobs whose runs exclude each other start one after the other, the oldest first: by job the one
 * whose turn it is, or NaN while another is at work. A job that is not in it starts them all.
 */
export function turnsToStart(
  runs: readonly (RunRecord | undefined)[],
  jobs: ReadonlyMap<string, WatchedJob>,
  now: number,
): ReadonlyMap<string, number> {
  const turns = new Map<string, number>();
  for (const run of runs) {
    if (run === undefined || isFinished(run) || jobs.get(run.job)?.entry.overlap === 'allow') continue;
    const isAtWork = run.status === 'running' && !isDead(run, now);
    const isQueued = run.fencingToken === 0 && isAskedFor(run);
    if (isAtWork) turns.set(run.job, Number.NaN);
    else if (isQueued) turns.set(run.job, Math.min(turns.get(run.job) ?? run.scheduledTime, run.scheduledTime));
  }
  return turns;
}
