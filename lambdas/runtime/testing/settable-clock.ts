import type { Clock, Timers } from '../../../lib/domain/ports.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that moves only when told. Whoever sleeps on it moves it: no test waits. */
export class SettableClock implements Clock, Timers {
  #now: number;
  readonly #start: number;
  readonly #timers = new Set<Timer>();

  /** @param now An instant: epoch milliseconds, a Date, or ISO text. */
  constructor(now: number | Date | string) {
    this.#now = new Date(now).getTime();
    this.#start = this.#now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now - this.#start;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  async sleepUntil(instant: number): Promise<void> {
    this.set(instant);
  }

  /** Moves the clock on and calls the timers that are due on the way, each at its own instant. */
  advance(ms: number): void {
    this.set(this.#now + ms);
  }

  /** Moves the clock to `instant`; it never goes back. */
  set(instant: number | Date | string): void {
    const target = new Date(instant).getTime();
    for (let due = this.#nextDue(target); due !== undefined; due = this.#nextDue(target)) {
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = Math.max(this.#now, target);
  }

  #nextDue(target: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (timer.at <= target && (next === undefined || timer.at < next.at)) next = timer;
    return next;
  }
}
