import type { FinishedStatus, RunRecord } from './run-record.ts';
import { isFinished } from './run-record.ts';

export type ClaimPlan =
  /** The record allows it: write the claim. */
  | { readonly action: 'claim' }
  /** The record already carries this very claim: its response was lost on the way. */
  | { readonly action: 'own' }
  | { readonly action: 'done'; readonly status: FinishedStatus }
  /** Another attempt holds the lease. */
  | { readonly action: 'busy'; readonly leaseExpiresAt: number }
  /** Waits for its next attempt. */
  | { readonly action: 'early'; readonly nextAttemptAt: number }
  /** Every attempt was used and none finished the run: close it as failed. */
  | { readonly action: 'exhausted' };

export interface ClaimSituation {
  readonly claimToken: string;
  readonly now: number;
  /** Leases that expired before this instant may be taken over. */
  readonly deadBefore: number;
  readonly maxAttempts: number;
}

/**
 * What a claim finds. The same rule decides in the memory store before the write, and reads the answer of a store whose
 * conditional write was refused.
 */
export function planClaim(record: RunRecord | undefined, situation: ClaimSituation): ClaimPlan {
  if (record === undefined) return { action: 'claim' };
  if (isFinished(record)) return { action: 'done', status: record.status };
  const attemptsLeft = record.attempts < situation.maxAttempts;
  if (record.status === 'running') {
    if (record.claimToken === situation.claimToken) return { action: 'own' };
    const leaseExpiresAt = record.leaseExpiresAt ?? 0;
    if (leaseExpiresAt >= situation.deadBefore) return { action: 'busy', leaseExpiresAt };
  } else {
    const nextAttemptAt = record.nextAttemptAt ?? 0;
    if (nextAttemptAt > situation.now) return { action: 'early', nextAttemptAt };
  }
  return { action: attemptsLeft ? 'claim' : 'exhausted' };
}
