import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ClaimRequest } from '../../domain/ports.ts';
import type { Claim, RunRecord } from '../../domain/run/run-record.ts';
import { n, s } from './run-table.ts';

export const RUNNING = s('running');
export const PENDING = s('pending');
export const ZERO = n(0);
export const ONE = n(1);

export function claimValues(request: ClaimRequest, expiresAt: AttributeValue): Record<string, AttributeValue> {
  return {
    ':running': RUNNING,
    ':pending': PENDING,
    ':one': ONE,
    ':claimToken': s(request.claimToken),
    ':leaseExpiresAt': n(request.leaseExpiresAt),
    ':now': n(request.now),
    ':deadBefore': n(request.deadBefore),
    ':maxAttempts': n(request.maxAttempts),
    ':trigger': s(request.trigger),
    ':expiresAt': expiresAt,
    ':revision': s(request.revision),
  };
}

/** The claim that a running record stands for. */
export function claimOf(run: RunRecord): Claim {
  return {
    job: run.job,
    scheduledTime: run.scheduledTime,
    fencingToken: run.fencingToken,
    claimToken: run.claimToken ?? '',
    attempt: run.attempts,
    claimedAt: run.updatedAt ?? 0,
    leaseExpiresAt: run.leaseExpiresAt ?? 0,
    trigger: run.trigger,
    segments: run.segments ?? 0,
    ...(run.checkpoint === undefined ? {} : { checkpoint: run.checkpoint }),
    ...(run.cancelRequestedAt === undefined ? {} : { cancelRequestedAt: run.cancelRequestedAt }),
  };
}

/** What every write of an attempt is conditional on. */
export function mine(claim: Claim): Record<string, AttributeValue> {
  return { ':fencingToken': n(claim.fencingToken), ':claimToken': s(claim.claimToken), ':running': RUNNING };
}
