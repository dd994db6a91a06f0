import { BelfryError } from '../../lib/domain/errors.ts';
import type { Clock, Timers } from '../../lib/domain/ports.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Real milliseconds left of an invocation. */
export type TimeLeft = () => number;

/**
 * Repeats a request to the store while it is unavailable, for as long as more than `keepMs` of the invocation are left.
 * Safe because every request is conditional: the store tells a repetition from a second writer.
 */
export async function persist<Answer>(
  request: () => Promise<Answer>,
  { clock, timeLeft, keepMs }: { clock: Clock & Timers; timeLeft: TimeLeft; keepMs: number },
): Promise<Answer> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    try {
      return await request();
    } catch (error) {
      const passing = error instanceof BelfryError && error.code === 'StoreUnavailable';
      if (!passing || timeLeft() - pause <= keepMs) throw error;
      await pauseFor(clock, pause);
    }
  }
}

function pauseFor(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => timers.after(ms, resolve));
}
