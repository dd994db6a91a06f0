import type { WatchedJob } from './due.ts';
import type { SweepAction } from './plan-sweep.ts';

/** How long before EventBridge fires an instant that is not the job's, its record says so: a watchdog may be down that long. */
export const EXCLUDE_AHEAD_MS = 24 * 3_600_000;

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
    // A definition that is young has not been looked at that far ahead yet.
    const ahead = since >= window.from ? since : window.from + EXCLUDE_AHEAD_MS;
    for (const scheduledTime of clockChanges.surplus(ahead, window.until + EXCLUDE_AHEAD_MS)) {
      actions.push({
        type: 'recordSkipped',
        key: { job: entry.name, scheduledTime },
        cause: 'excluded',
        trigger: 'schedule',
      });
    }
  }
  return actions;
}
