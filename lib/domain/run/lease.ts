/**
 * How leases are measured. Two bodies of one run never overlap as long as
 * `graceMs + marginMs >= 2 * largest clock error + the time Lambda takes to kill`: the defaults cover clocks 3.6 s off
 * and a kill 0.7 s late.
 */
export interface LeaseTimes {
  /** The lease outlives the invocation by this much. Default 3,000. */
  readonly graceMs: number;
  /** A taker waits this much past the end of the lease. Default 5,000. */
  readonly marginMs: number;
  /** An attempt does not start with less of its invocation left. Default 5,000. */
  readonly minimumToStartMs: number;
  /** The handler is told to stop when this much of its invocation is left. Default 3,000. */
  readonly reserveMs: number;
  /** With lease `heartbeat`: how long one renewal lasts. Default 90,000. */
  readonly heartbeatLeaseMs: number;
  /** With lease `heartbeat`: the time between renewals. Default 30,000. */
  readonly heartbeatEveryMs: number;
}

export const DEFAULT_LEASE_TIMES: LeaseTimes = {
  graceMs: 3_000,
  marginMs: 5_000,
  minimumToStartMs: 5_000,
  reserveMs: 3_000,
  heartbeatLeaseMs: 90_000,
  heartbeatEveryMs: 30_000,
};

/** `invocation`: the lease lasts as long as the Lambda invocation can. `heartbeat`: short, and renewed. */
export type LeaseKind = 'invocation' | 'heartbeat';

/** When a lease taken or renewed at `now` expires, for an invocation that has `remainingMs` left. */
export function planLease(kind: LeaseKind, now: number, remainingMs: number, times: LeaseTimes): number {
  return kind === 'heartbeat' ? now + times.heartbeatLeaseMs : now + Math.max(0, remainingMs) + times.graceMs;
}

/** A lease that expired before this instant may be taken over at `now`. */
export function deadBefore(now: number, times: LeaseTimes): number {
  return now - times.marginMs;
}

/** How long a handler may run, in real milliseconds, before it is told to stop. */
export function planRunningTime(remainingMs: number, timeoutMs: number, times: LeaseTimes): number {
  return Math.max(0, Math.min(remainingMs - times.reserveMs, timeoutMs));
}
