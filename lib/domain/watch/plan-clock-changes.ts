import type { WatchedJob } from './due.ts';
import type { SweepAction } from './plan-sweep.ts';

/**
 * How long before EventBridge fires an instant that is not the job's, its record says so: a watchdog may be down for a
 * week. Twice more, nearer to it, because a write may have failed.
 */
export const EXCLUDE_AHEAD_MS: readonly number[] = [7 * 24 * 3_600_000, 24 * 3_600_000, 3_600_000];

export interface SweptWindow {
  /** Epoch milliseconds: where the last sweep stopped, and where this one does. */
  readonly from: number;
  readonly until: number;
  readonly now: number;
  /** Per job: nothing at or before this instant belongs to its definition. */
  readonly effectiveFrom: Readonly<Record<string, number>>;
}

/**
 * What EventBridge Scheduler does not do as the job chose. Instants that it leaves out are delivered by the watchdog in
 * the minute they are due; later they are misfires like any other. Instants that it fires beyond those of the job are
 * recorded as skipped beforehand, so that the claim of that firing finds the run done.
 */
export function planClockChanges(jobs: readonly WatchedJob[], window: SweptWindow): readonly SweepAction[] {
  const actions: SweepAction[] = [];
  for (const { entry, clockChanges, patienceMs } of jobs) {
    const since = window.effectiveFrom[entry.name] ?? Number.NEGATIVE_INFINITY;
    const due = Math.max(window.from, window.now - patienceMs, since);
    for (const scheduledTime of due < window.until ? clockChanges.supplements(due, window.until) : []) {
      actions.push({ type: 'supplement', key: { job: entry.name, scheduledTime } });
    }
    const excluded = new Set<number>();
    for (const [index, aheadMs] of EXCLUDE_AHEAD_MS.entries()) {
      // A definition that is young has not been looked at that far ahead yet.
      const from = index === 0 && since >= window.from ? since : Math.max(window.from + aheadMs, window.now);
      const to = window.until + aheadMs;
      if (from < to) for (const instant of clockChanges.surplus(from, to)) excluded.add(instant);
    }
    for (const scheduledTime of excluded) {
      const key = { job: entry.name, scheduledTime };
      actions.push({ type: 'recordSkipped', key, cause: 'excluded', trigger: 'schedule' });
    }
  }
  return actions;
}
