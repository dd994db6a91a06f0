import type { ClaimRequest } from '../ports.ts';
import type { Claim, RunRecord } from './run-record.ts';

/** The record after a claim that was allowed, from the one before it. */
export function recordAfterClaim(before: RunRecord | undefined, request: ClaimRequest): RunRecord {
  const { job, scheduledTime, claimToken, now, leaseExpiresAt, revision } = request;
  const claimed = {
    job,
    scheduledTime,
    status: 'running',
    claimToken,
    leaseExpiresAt,
    updatedAt: now,
    revision,
  } as const;
  if (before === undefined) {
    return { ...claimed, fencingToken: 1, attempts: 1, claimedAt: now, trigger: request.trigger };
  }
  const { error, cause, nextAttemptAt, ...kept } = before;
  return {
    ...kept,
    ...claimed,
    fencingToken: before.fencingToken + 1,
    attempts: before.attempts + 1,
    claimedAt: before.claimedAt ?? now,
  };
}

/** The claim that a running record stands for. */
export function claimOf(run: RunRecord): Claim {
  const { job, scheduledTime, fencingToken, trigger, checkpoint, saves, cancelRequestedAt } = run;
  return {
    job,
    scheduledTime,
    fencingToken,
    claimToken: run.claimToken ?? '',
    attempt: run.attempts,
    claimedAt: run.updatedAt ?? 0,
    leaseExpiresAt: run.leaseExpiresAt ?? 0,
    trigger,
    segments: run.segments ?? 0,
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(saves === undefined ? {} : { saves }),
    ...(cancelRequestedAt === undefined ? {} : { cancelRequestedAt }),
  };
}
