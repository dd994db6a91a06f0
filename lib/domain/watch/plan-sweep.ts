import type { Trigger } from '../job.ts';
import { isDead, isFinished, type RunRecord } from '../run/run-record.ts';
import { type OccurrenceKey, occurrenceId } from './occurrence-key.ts';
import type { OpenOccurrence } from './watch-state.ts';

export type SweepAction =
  /** The occurrence did not start in time: give it its one disposition. */
  | { readonly type: 'recordMissed'; readonly key: OccurrenceKey; readonly cause: string }
  /** A run lost its owner, or waits for an attempt that is due: deliver the same occurrence again, through the same claim. */
  | {
      readonly type: 'redeliver';
      readonly key: OccurrenceKey;
      readonly trigger: Trigger;
      readonly reason: 'dead' | 'retryDue';
    }
  /** No attempt is left and nobody closed the run: give it its outcome. */
  | { readonly type: 'closeExhausted'; readonly run: RunRecord };

export interface SweepInput {
  /** Epoch milliseconds. */
  readonly now: number;
  /** What to look at: occurrences that became due, and those left open by the sweep before. */
  readonly occurrences: readonly OpenOccurrence[];
  /** Run records by `occurrenceId`. */
  readonly runs: ReadonlyMap<string, RunRecord>;
}

export interface SweepPlan {
  readonly actions: readonly SweepAction[];
  /** What the next sweep must look at again. */
  readonly open: readonly OpenOccurrence[];
}

/**
 * Decides what a sweep does about each occurrence. The watchdog only delivers: it never writes the state of a run that
 * has attempts left, so it may race the scheduler and another watchdog without harm.
 */
export function planSweep({ now, occurrences, runs }: SweepInput): SweepPlan {
  const actions: SweepAction[] = [];
  const open: OpenOccurrence[] = [];
  for (const occurrence of occurrences) {
    const key = { job: occurrence.job, scheduledTime: occurrence.scheduledTime };
    const run = runs.get(occurrenceId(occurrence));
    if (run === undefined) {
      if (now >= occurrence.startBy) actions.push({ type: 'recordMissed', key, cause: 'unknown' });
      else open.push(occurrence);
      continue;
    }
    if (isFinished(run)) continue;
    open.push(occurrence);
    const dead = isDead(run, now);
    const retryDue = run.status === 'pending' && (run.nextAttemptAt ?? 0) <= now;
    if (!dead && !retryDue) continue;
    if (run.attempts >= occurrence.maxAttempts) actions.push({ type: 'closeExhausted', run });
    else actions.push({ type: 'redeliver', key, trigger: run.trigger, reason: dead ? 'dead' : 'retryDue' });
  }
  return { actions, open };
}
