/** What was delivered of one run since its fencing token last moved. Instants in epoch milliseconds. */
export interface Deliveries {
  readonly count: number;
  /** Not before then is it delivered again. */
  readonly nextAt: number;
  /** The run's fencing token at the time; 0 without a run. Once it has moved, somebody took the delivery up. */
  readonly fencingToken: number;
  /** Since when every delivery was refused: nobody has got it. */
  readonly refusedSince?: number;
}

export type DeliveryPlan =
  | { readonly action: 'deliver'; readonly deliveries: Deliveries }
  | { readonly action: 'wait'; readonly deliveries: Deliveries }
  /** It was delivered often enough: whoever should take it up does not. */
  | { readonly action: 'giveUp' };

/** With the delays doubling from one minute, more than two hours pass before a run that nobody takes up is given up. */
export const MOST_DELIVERIES = 8;
const FIRST_DELAY_MS = 60_000;
const LONGEST_DELAY_MS = 3_600_000;
/** For so long what is refused is tried again, every minute. */
const LONGEST_REFUSAL_MS = 3 * 3_600_000;

/**
 * Whether to deliver a run that needs it again now. A function that never claims is not called for ever, and nobody is
 * asked for ever who refuses.
 */
export function planDelivery(before: Deliveries | undefined, fencingToken: number, now: number): DeliveryPlan {
  const last = before?.fencingToken === fencingToken ? before : undefined;
  const count = (last?.count ?? 0) + 1;
  // The sweeps are a minute apart give or take; half a second early is not early.
  if (last !== undefined && now < last.nextAt - 500) return { action: 'wait', deliveries: last };
  const isHopeless = now - (last?.refusedSince ?? now) >= LONGEST_REFUSAL_MS;
  if (count > MOST_DELIVERIES || isHopeless) return { action: 'giveUp' };
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 1));
  return { action: 'deliver', deliveries: { count, nextAt: now + delay, fencingToken } };
}

/** A refused delivery is none: it is not counted, and the next sweep tries again. */
export function refusedDelivery(before: Deliveries | undefined, planned: Deliveries, now: number): Deliveries {
  const { count, fencingToken } = planned;
  const refusedSince = before?.fencingToken === fencingToken ? (before.refusedSince ?? now) : now;
  return { count: count - 1, nextAt: now, fencingToken, refusedSince };
}
