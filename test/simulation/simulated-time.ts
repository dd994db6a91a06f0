import type { Clock, Timers } from '../../lib/domain/ports.ts';

interface Timer {
  readonly at: number;
  readonly owner: number;
  readonly serial: number;
  readonly callback: () => void;
}

/** Time that passes only when the simulation says so, and clocks that show it wrongly. */
export class SimulatedTime {
  now: number;
  readonly #timers = new Set<Timer>();
  #serial = 0;

  constructor(now: number) {
    this.now = now;
  }

  /** When the next timer is due; it may be past when time has jumped. */
  get next(): number | undefined {
    return this.#first()?.at;
  }

  pass(ms: number): void {
    this.now += ms;
  }

  /** Lets time pass up to the next timer, and calls it. */
  passNext(): void {
    const timer = this.#first();
    if (timer === undefined) return;
    this.#timers.delete(timer);
    this.now = Math.max(this.now, timer.at);
    timer.callback();
  }

  at(instant: number, owner: number, callback: () => void): () => void {
    const timer = { at: instant, owner, serial: ++this.#serial, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** The timers of a process that is gone. */
  forget(owner: number): void {
    for (const timer of this.#timers) if (timer.owner === owner) this.#timers.delete(timer);
  }

  sleep(owner: number, ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.now + ms, owner, resolve));
  }

  clockOf(owner: number, skew: number): Clock & Timers {
    return {
      now: () => this.now + skew,
      elapsed: () => this.now,
      after: (ms, callback) => this.at(this.now + ms, owner, callback),
      sleepUntil: (instant) => this.sleep(owner, Math.max(0, instant - this.now - skew)),
    };
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.serial < first.serial))
        first = timer;
    }
    return first;
  }
}
