import type { Clock, Timers } from '../../domain/ports.ts';

/** A wait for an instant looks at the clock this often: a clock may be set, or run at another pace than the timers. */
const LONGEST_NAP_MS = 100;

/** The process's own clock and timers. The only place in deployed code that reads them. */
export class SystemClock implements Clock, Timers {
  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return performance.now();
  }

  after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  }

  async sleepUntil(instant: number): Promise<void> {
    for (let left = instant - this.now(); left > 0; left = instant - this.now()) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, LONGEST_NAP_MS)));
    }
  }
}
