import type { JobDefinition, OverlapPolicy, Trigger } from '../job.ts';
import { isDead, isFinished, type RunRecord, type TurnRecord } from './run-record.ts';

export type OverlapPlan =
  /** The turn is free, or this run has it already. */
  | { readonly action: 'proceed' }
  | { readonly action: 'skip'; readonly cause: 'paused' | 'overlap' }
  /** Become the one that waits. */
  | { readonly action: 'buffer' }
  /** Wait without being the one of `bufferOne`: a person asked for this run. */
  | { readonly action: 'queue' }
  /** Close the run that has the turn: nobody works on it. */
  | { readonly action: 'closeHolder' }
  /** Ask the attempt that has the turn to stop, and wait. */
  | { readonly action: 'cancelHolder' };

export interface OverlapSituation {
  readonly scheduledTime: number;
  readonly trigger: Trigger;
  readonly now: number;
  readonly marginMs: number;
  readonly turn: TurnRecord;
  /** The record of `turn.holder`, if it is another run and still has one. */
  readonly holder?: RunRecord;
  /** The record of `turn.buffered`, if it is another run and still has one. */
  readonly buffered?: RunRecord;
}

/**
 * What a run that is due does about the run that has the turn. A dead attempt keeps the turn: its lease may yet be renewed
 * by a request on its way, so its run must be taken over or finished first.
 */
export function planOverlap(policy: OverlapPolicy, situation: OverlapSituation): OverlapPlan {
  const { scheduledTime, trigger, now, turn, holder, buffered } = situation;
  const asked = trigger === 'manual' || trigger === 'backfill';
  if (isPaused(turn, now) && !asked) return { action: 'skip', cause: 'paused' };
  if (holder === undefined || isFinished(holder)) return { action: 'proceed' };
  if (policy === 'allow') return { action: 'proceed' };
  if (policy === 'cancelOther' && scheduledTime > holder.scheduledTime) {
    const idle = holder.status === 'pending' || isDead(holder, now, situation.marginMs);
    return { action: idle ? 'closeHolder' : 'cancelHolder' };
  }
  if (asked) return { action: 'queue' };
  if (policy !== 'bufferOne') return { action: 'skip', cause: 'overlap' };
  return buffered?.status === 'pending' ? { action: 'skip', cause: 'overlap' } : { action: 'buffer' };
}

/** What decides whether a job can be paused. */
export type PauseOptions = Pick<JobDefinition, 'overlap' | 'onTimeout' | 'pausable'>;

/**
 * Whether a run of the job looks at its pause before it starts. Runs that may overlap look at nothing but their own record,
 * unless the job says that it can be paused, or one of them may put the others on hold.
 */
export function readsPause({ overlap, onTimeout, pausable }: PauseOptions): boolean {
  return overlap !== 'allow' || onTimeout === 'hold' || pausable === true;
}

export function isPaused(turn: TurnRecord, now: number): boolean {
  return turn.paused === true && (turn.pausedUntil === undefined || now < turn.pausedUntil);
}

/**
 * Up to where runs have succeeded, for the next one that takes the turn: what the turn has carried on so far, or the
 * holder's own success. Only the turn says so, because only what was written together with it is sure to belong to it.
 * Undefined before the first success.
 */
export function succeededThrough(
  turn: TurnRecord,
  holder: Pick<RunRecord, 'status' | 'scheduledTime'> | undefined,
): number | undefined {
  const before = turn.windowFrom;
  if (holder?.status !== 'succeeded') return before;
  return before === undefined ? holder.scheduledTime : Math.max(before, holder.scheduledTime);
}
