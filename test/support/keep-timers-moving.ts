import type { SettableClock } from '../../lambdas/runtime/testing/index.ts';

/** Lets a clock follow real time a thousand times faster, so that pauses between retries pass. Returns how to stop. */
export function keepTimersMoving(clock: SettableClock, stepMs = 1_000): () => void {
  const timer = setInterval(() => clock.advance(stepMs), 1);
  return () => clearInterval(timer);
}
