import type { Schedule } from '../schedule/schedule.ts';
import { type ClockChanges, NO_CLOCK_CHANGES } from './clock-changes.ts';
import type { OpenOccurrence, RosterEntry } from './watch-state.ts';

/** EventBridge Scheduler invokes at some second of the minute that was asked for: no run can be missed before that minute is over. */
const SCHEDULER_PRECISION_MS = 60_000;

/** Most occurrences that one sweep looks at. After an outage the watchdog catches up in slices of this size. */
export const MAX_DUE_PER_SWEEP = 10_000;

export interface WatchedJob {
  readonly entry: RosterEntry;
  readonly schedule: Schedule;
  /** How long after its scheduled time an occurrence without a run is only late. */
  readonly patienceMs: number;
  readonly clockChanges: ClockChanges;
}

export function watchedJob(
  entry: RosterEntry,
  schedule: Schedule,
  clockChanges: ClockChanges = NO_CLOCK_CHANGES,
): WatchedJob {
  return { entry, schedule, patienceMs: entry.startGraceMs + SCHEDULER_PRECISION_MS, clockChanges };
}

export interface DueWindow {
  /** Instants, epoch milliseconds: what became due to have started after `from` up to `until`. */
  readonly from: number;
  readonly until: number;
  /** Per job: no occurrence at or before this instant belongs to its definition. */
  readonly effectiveFrom: Readonly<Record<string, number>>;
}

/**
 * The occurrences that must have started by `until` and did not have to by `from`. When there are more than
 * `MAX_DUE_PER_SWEEP`, the window is cut short and its new end returned: the next sweep goes on from there.
 */
export function dueOccurrences(
  jobs: readonly WatchedJob[],
  window: DueWindow,
): { readonly due: readonly OpenOccurrence[]; readonly until: number } {
  let until = window.until;
  for (;;) {
    const due = enumerate(jobs, { ...window, until });
    if (due !== undefined || until - window.from <= SCHEDULER_PRECISION_MS) {
      return { due: due ?? enumerate(jobs, { ...window, until }, Number.POSITIVE_INFINITY) ?? [], until };
    }
    until = window.from + Math.max(SCHEDULER_PRECISION_MS, Math.floor((until - window.from) / 2));
  }
}

function enumerate(
  jobs: readonly WatchedJob[],
  window: DueWindow,
  limit = MAX_DUE_PER_SWEEP,
): OpenOccurrence[] | undefined {
  const due: OpenOccurrence[] = [];
  for (const job of jobs) {
    const since = window.effectiveFrom[job.entry.name] ?? Number.NEGATIVE_INFINITY;
    const from = Math.max(window.from - job.patienceMs, since);
    for (const occurrence of occurrencesBetween(job, from, window.until - job.patienceMs)) {
      if (due.length >= limit) return undefined;
      due.push(occurrence);
    }
  }
  return due;
}

/**
 * What the ledger must hold of the job after `from` (exclusive) up to `to` (inclusive), and what may have been fired
 * beyond that, adopted.
 */
export function* occurrencesBetween(job: WatchedJob, from: number, to: number): Generator<OpenOccurrence> {
  if (from >= to) return;
  for (const scheduledTime of job.schedule.between(from, to)) yield openOccurrence(job, scheduledTime);
  for (const scheduledTime of job.clockChanges.gaps(from, to))
    yield { ...openOccurrence(job, scheduledTime), gap: true };
  for (const scheduledTime of job.clockChanges.surplus(from, to)) {
    yield { ...openOccurrence(job, scheduledTime), adopted: true };
  }
}

function openOccurrence({ entry, patienceMs }: WatchedJob, scheduledTime: number): OpenOccurrence {
  return { job: entry.name, scheduledTime, startBy: scheduledTime + patienceMs, maxAttempts: entry.retry.maxAttempts };
}

/** How many occurrences of the job became due after `scheduledTime` up to `until`; counts no further than `limit`. */
export function countLaterDue(job: WatchedJob, scheduledTime: number, until: number, limit: number): number {
  let count = 0;
  for (const _ of job.schedule.between(scheduledTime, until - job.patienceMs)) {
    count += 1;
    if (count >= limit) break;
  }
  return count;
}
