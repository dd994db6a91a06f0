import type { OccurrenceKey } from '../contract/occurrence-key.ts';
import type { Trigger } from '../job.ts';
import { DEFAULT_LEASE_TIMES } from './lease.ts';

/**
 * Where a run stands.
 * - `running`: an attempt holds the lease. Left by the attempt itself, or by a takeover after the lease has expired.
 * - `pending`: waits for its next attempt (after a failure, a continuation, or in the queue of a `bufferOne` job) until
 *   `nextAttemptAt`. Left by the next claim.
 * - `succeeded`, `failed`, `timedOut`, `skipped`, `missed`: finished; never left.
 */
export type RunStatus = 'running' | 'pending' | FinishedStatus;
export type FinishedStatus = 'succeeded' | 'failed' | 'timedOut' | 'skipped' | 'missed';

const FINISHED: readonly string[] = ['succeeded', 'failed', 'timedOut', 'skipped', 'missed'];

export function isFinishedStatus(status: RunStatus): status is FinishedStatus {
  return FINISHED.includes(status);
}

export function isFinished(run: RunRecord): run is RunRecord & { readonly status: FinishedStatus } {
  return isFinishedStatus(run.status);
}

/** Its attempt ended without a word: the lease ran out, and with it the margin that other clocks are granted. */
export function isDead(run: RunRecord, now: number, marginMs: number = DEFAULT_LEASE_TIMES.marginMs): boolean {
  return run.status === 'running' && (run.leaseExpiresAt ?? 0) < now - marginMs;
}

/** One run as the store holds it. Instants are epoch milliseconds. */
export interface RunRecord extends OccurrenceKey {
  readonly status: RunStatus;
  /** Grows by one with every claim, never falls. 0: never claimed. */
  readonly fencingToken: number;
  /** Attempts begun; a run that gave its turn back unused did not use one up. */
  readonly attempts: number;
  readonly claimToken?: string;
  readonly leaseExpiresAt?: number;
  readonly nextAttemptAt?: number;
  /** When the first attempt began. */
  readonly claimedAt?: number;
  readonly updatedAt?: number;
  readonly revision?: string;
  /** Why the run exists: what its first claim said. */
  readonly trigger: Trigger;
  /** What the handler returned, as JSON, shortened to fit one write unit. */
  readonly result?: string;
  readonly error?: string;
  /** Why it was skipped, missed or ended early: `overlap`, `paused`, `superseded`, `exhausted`, `cancelled`, `held`... */
  readonly cause?: string;
  /** Saved steps, as JSON. */
  readonly checkpoint?: string;
  /** How often the checkpoint was saved, over all attempts. */
  readonly saves?: number;
  /** Invocations beyond the first that went on with the same attempt. */
  readonly segments?: number;
  /** `done/total` as the handler last told. */
  readonly progress?: string;
  /** A later occurrence asked this run to stop. */
  readonly cancelRequestedAt?: number;
  /** Who asked for it, or to skip it, why and when. */
  readonly requestedBy?: string;
  readonly requestNote?: string;
  readonly requestedAt?: number;
}

/** Whose turn it is, for jobs whose runs exclude each other; also carries the pause. */
export interface TurnRecord {
  readonly job: string;
  /** Scheduled time of the run that has the turn. The turn is free once that run is finished. */
  readonly holder?: number;
  /** Grows by one with every change of the holder. 0: nobody has had it. */
  readonly version: number;
  /** Scheduled time of the one occurrence that waits (`bufferOne`). Only a hint: its run record says whether it still does. */
  readonly buffered?: number;
  /**
   * Up to where runs had succeeded when the holder got the turn: the beginning of the holder's window. Once the holder has
   * succeeded it may say the holder itself.
   */
  readonly windowFrom?: number;
  readonly paused?: boolean;
  readonly pausedBy?: string;
  readonly pauseNote?: string;
  readonly pausedAt?: number;
  readonly pausedUntil?: number;
}

/** The right to carry out one attempt. Every write of the attempt is conditional on it. */
export interface Claim extends OccurrenceKey {
  readonly fencingToken: number;
  readonly claimToken: string;
  /** From 1. */
  readonly attempt: number;
  readonly claimedAt: number;
  readonly leaseExpiresAt: number;
  readonly trigger: Trigger;
  readonly segments: number;
  readonly checkpoint?: string;
  readonly saves?: number;
  readonly cancelRequestedAt?: number;
}
