import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ClaimRequest } from '../../domain/ports.ts';
import type { Claim } from '../../domain/run/run-record.ts';
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

/** What every write of an attempt is conditional on. */
export function mine(claim: Claim): Record<string, AttributeValue> {
  return { ':fencingToken': n(claim.fencingToken), ':claimToken': s(claim.claimToken), ':running': RUNNING };
}
