import type { WatchPlace } from '../../lib/domain/watch/ports.ts';

/**
 * How late EventBridge fired the watchdog, milliseconds. Undefined when the event does not say, or when a sweep has taken place
 * since the minute it is for: then it is an old event again, which Lambda delivers when an invocation failed or was refused
 * capacity, and says nothing of EventBridge.
 */
export function firingLateness(
  event: { readonly scheduledTime?: unknown } | undefined,
  { state }: WatchPlace,
  startedAt: number,
): number | undefined {
  const firedFor = Date.parse(String(event?.scheduledTime));
  if (Number.isNaN(firedFor) || (state?.lastAt ?? 0) >= firedFor) return undefined;
  return startedAt - firedFor;
}
