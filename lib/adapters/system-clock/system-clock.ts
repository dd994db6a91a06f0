import type { Clock, Timers } from '../../domain/ports.ts';

/** A wait for an instant looks at the clock this often: a clock may be set, or run at another pace than the timers. */
const LONGEST_NAP_MS = 100;

/** Longer waits than this share one ticking timer: a timer of its own would cost each run a tenth of a request. */
const LONG_MS = 10_000;
const TICK_MS = 250;

interface LongWait {
  readonly until: number;
  readonly callback: () => void;
}

/** The process's own clock and timers. The only place in deployed code that reads them. */
export class SystemClock implements Clock, Timers {
  readonly #longWaits = new Set<LongWait>();
  #ticker: NodeJS.Timeout | undefined;

  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return performance.now();
  }

  after(ms: number, callback: () => void): () => void {
    if (ms > LONG_MS) return this.#afterLong({ until: this.elapsed() + ms, callback });
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  }

  #afterLong(wait: LongWait): () => void {
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS);
    this.#longWaits.add(wait);
    this.#ticker.ref();
    return () => this.#forget(wait);
  }

  #tick(): void {
    for (const wait of [...this.#longWaits]) {
      if (wait.until > this.elapsed()) continue;
      this.#forget(wait);
      wait.callback();
    }
  }

  /** The ticker goes on, but keeps no process alive that waits for nothing. */
  #forget(wait: LongWait): void {
    this.#longWaits.delete(wait);
    if (this.#longWaits.size === 0) this.#ticker?.unref();
  }

  async sleepUntil(instant: number): Promise<void> {
    for (let left = instant - this.now(); left > 0; left = instant - this.now()) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, LONGEST_NAP_MS)));
    }
  }
}
