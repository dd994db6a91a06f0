import { textHash } from '../text-hash.ts';
import type { LedgerRow } from '../verify/job-check.ts';
import type { WatchedJob } from './due.ts';
import type { TimingFinding } from './plan-timing.ts';

/** Each job's rows are looked through once in this time, job by job in turn, so that the cost is spread and known. */
export const AUDIT_EVERY_MS = 60 * 60_000;
const MINUTE_MS = 60_000;
const MINUTES = AUDIT_EVERY_MS / MINUTE_MS;

export interface AuditWindow {
  readonly job: WatchedJob;
  /** Exclusive, epoch milliseconds. */
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}

export interface AuditTime {
  /** Epoch milliseconds: when the last sweep looked, and now. */
  readonly sweptAt: number;
  readonly now: number;
  /** When the definitions in force began: rows from before are those of others. */
  readonly since: number;
}

/** The jobs whose turn came after the sweep before, up to this one, each with the hour to look through. */
export function planAudits(jobs: readonly WatchedJob[], { sweptAt, now, since }: AuditTime): readonly AuditWindow[] {
  const last = Math.floor(now / MINUTE_MS);
  const first = Math.max(Math.floor(sweptAt / MINUTE_MS) + 1, last - MINUTES + 1);
  const turns = new Set(Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) % MINUTES));
  if (turns.size === 0) return [];
  return jobs.flatMap((job) => {
    const turn = turnOf(job.entry.name);
    if (!turns.has(turn)) return [];
    // Counted from the turn, not from when the sweep came: the hours of two audits touch, and do not overlap.
    const minute = last - ((last - turn) % MINUTES);
    const to = minute * MINUTE_MS - job.patienceMs;
    const from = Math.max(to - AUDIT_EVERY_MS, since);
    return from < to ? [{ job, from, to }] : [];
  });
}

/** Runs that took place although the job was not due, and that nobody asked for. */
export function auditRows({ job }: AuditWindow, rows: readonly LedgerRow[]): readonly TimingFinding[] {
  const { entry, schedule } = job;
  return rows.flatMap(({ scheduledTime, status, trigger }) => {
    if (scheduledTime === undefined || trigger !== 'schedule' || status === 'skipped') return [];
    if (schedule.next(scheduledTime - 1) === scheduledTime) return [];
    const since = scheduledTime - (schedule.previous(scheduledTime) ?? scheduledTime);
    const until = (schedule.next(scheduledTime) ?? scheduledTime) - scheduledTime;
    return [
      {
        kind: 'tooOften' as const,
        key: { job: entry.name, scheduledTime },
        observedMs: Math.min(since, until),
        limitMs: since + until,
      },
    ];
  });
}

/** Spreads the jobs over the minutes of the hour. */
function turnOf(name: string): number {
  return textHash(name) % MINUTES;
}
