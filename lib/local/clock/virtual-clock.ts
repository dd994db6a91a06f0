import type { Clock } from '../../domain/ports.ts';

export interface VirtualClockOptions {
  /** The instant shown until `start()`, epoch milliseconds. Default: the real time, and the clock never differs from it. */
  readonly from?: number;
  /** Virtual seconds per real second while nothing runs. Default 1. */
  readonly speed?: number;
}

interface TimedEvent {
  readonly at: number;
  readonly action: () => void;
}

/** Longest real wait that a timer is set for; longer ones are set again. */
const MAX_WAIT_MS = 60_000;

/** Binds the clock to real pace, until it is released. */
export interface ClockHold {
  /**
   * Nothing happens here before `until` (undefined: before somebody else does something): as long as all holds rest, the
   * clock goes on at its speed, to `until` at most. Then it is bound again, and `wake` is called.
   */
  rest(until: number | undefined, wake: () => void): void;
  /** Ends the rest, if this hold rests, without calling what was given to `rest`. */
  wake(): void;
  /** For good; again is harmless. */
  release(): void;
}

/**
 * The one clock of the local runtime. Four rules:
 *
 * - It aims at `from + speed * (real time since start)`, and stops at every event that is due: events happen at their
 *   own instant, in order, none is passed over.
 * - While somebody holds it (an invocation is in flight) it moves at the pace of real time, so that durations, timeouts
 *   and leases are what they would be on AWS. The lag that builds up is made good afterwards, from event to event.
 * - A hold may rest (the invocation only waits for a timer of its own). When all do, nobody could tell real pace from
 *   another: the clock goes on at its speed. Never slower than real, and not while paused: timers in processes run on.
 * - It never goes back.
 */
export class VirtualClock implements Clock {
  #speed: number;
  readonly #events: TimedEvent[] = [];
  #started = false;
  #paused = false;
  /** Holds that do not rest. */
  #holders = 0;
  #resting = 0;
  /** Virtual minus real time, valid while held. */
  #offset = 0;
  /** Where the clock stood when it was last held, paused or started. */
  #floor: number;
  #anchorVirtual = 0;
  #anchorReal = 0;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(options: VirtualClockOptions = {}) {
    this.#speed = options.speed ?? 1;
    this.#floor = options.from ?? Date.now();
    // Without a start of its own the clock is the real one, and has always been running.
    if (options.from === undefined) this.start();
  }

  now(): number {
    if (!this.#started) return this.#floor;
    if (this.#isBound) return Date.now() + this.#offset;
    if (this.#paused) return this.#floor;
    const target = this.#target();
    return Math.max(this.#floor, Math.min(target, this.#events[0]?.at ?? target));
  }

  /** Virtual minus real time at this moment, milliseconds. */
  get offset(): number {
    return this.now() - Date.now();
  }

  /** Virtual seconds per real second while nothing runs. */
  get speed(): number {
    return this.#speed;
  }

  /** Goes on at another speed from here. */
  setSpeed(speed: number): void {
    this.#change(() => {
      this.#speed = speed;
    });
    this.#anchor();
    this.#arm();
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** The instant of the next event, if any. */
  get nextEventAt(): number | undefined {
    return this.#events[0]?.at;
  }

  /** Lets the time run. */
  start(): void {
    if (!this.#started) this.#anchor();
    this.#started = true;
    this.#arm();
  }

  /** Stops the time for everything that is due later. What is in flight goes on at real pace. */
  pause(): void {
    this.#change(() => {
      this.#paused = true;
    });
    this.#disarm();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#change(() => {
      this.#paused = false;
    });
    this.#anchor();
    this.#arm();
  }

  /** While paused: moves to the next event and does what is due then. Returns its instant. */
  step(): number | undefined {
    const at = this.#events[0]?.at;
    if (!this.#paused || this.#isBound || at === undefined) return undefined;
    this.#floor = Math.max(this.#floor, at);
    this.#runDue();
    return at;
  }

  /** Calls `action` when the clock shows `at`, at once if that is past. Returns how to cancel it. */
  schedule(at: number, action: () => void): () => void {
    const event = { at, action };
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.at ?? 0) > at) index--;
    if (index === 0) this.#floor = this.now();
    this.#events.splice(index, 0, event);
    if (index === 0) this.#arm();
    return () => {
      const position = this.#events.indexOf(event);
      if (position >= 0) this.#events.splice(position, 1);
      if (position === 0) this.#arm();
    };
  }

  /** Binds the clock to real pace until the returned function is called (again is harmless). */
  hold(): () => void {
    return this.restingHold().release;
  }

  /** Binds the clock to real pace until the hold is released, or rests. */
  restingHold(): ClockHold {
    this.#change(() => this.#holders++);
    let state: 'held' | 'resting' | 'released' = 'held';
    let cancel = () => {};
    const become = (next: typeof state, count: () => void) => {
      cancel();
      cancel = () => {};
      state = next;
      this.#change(count);
    };
    const wake = () => {
      if (state !== 'resting') return;
      become('held', () => {
        this.#resting--;
        this.#holders++;
      });
    };
    return {
      rest: (until, onWake) => {
        if (state !== 'held') return;
        // Before the clock is free to go on: it stops at what it knows of.
        const cancelWake =
          until === undefined
            ? () => {}
            : this.schedule(until, () => {
                wake();
                onWake();
              });
        become('resting', () => {
          this.#holders--;
          this.#resting++;
        });
        cancel = cancelWake;
      },
      wake,
      release: () => {
        if (state === 'held') become('released', () => this.#holders--);
        if (state === 'resting') become('released', () => this.#resting--);
      },
    };
  }

  /** Drops all events; the clock still tells the time. */
  stop(): void {
    this.#events.length = 0;
    this.#disarm();
  }

  /** Whether the clock keeps real pace. */
  get #isBound(): boolean {
    return this.#holders > 0 || (this.#resting > 0 && (this.#paused || this.#speed <= 1));
  }

  /** Changes what the pace depends on: the clock goes on from where it is. */
  #change(how: () => void): void {
    const wasBound = this.#isBound;
    const now = this.now();
    this.#floor = Math.max(this.#floor, now);
    how();
    if (wasBound === this.#isBound) return;
    this.#offset = now - Date.now();
    this.#arm();
  }

  #target(): number {
    return Math.floor(this.#anchorVirtual + (Date.now() - this.#anchorReal) * this.#speed);
  }

  #anchor(): void {
    this.#anchorVirtual = this.#floor;
    this.#anchorReal = Date.now();
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
  }

  #arm(): void {
    this.#disarm();
    const due = this.#events[0]?.at;
    if (due === undefined || !this.#started || this.#paused) return;
    const wait = this.#isBound
      ? due - this.now()
      : this.#anchorReal + (due - this.#anchorVirtual) / this.#speed - Date.now();
    if (wait <= 0) this.#immediate = setImmediate(() => this.#runDue());
    else this.#timer = setTimeout(() => this.#runDue(), Math.min(Math.ceil(wait), MAX_WAIT_MS));
  }

  /** Everything due at this instant, with the clock held: actions of one instant see one time and may start holding it. */
  #runDue(): void {
    const release = this.hold();
    const instant = this.now();
    const due: TimedEvent[] = [];
    while (this.#events[0] !== undefined && this.#events[0].at <= instant) due.push(this.#events.shift() as TimedEvent);
    try {
      for (const event of due) event.action();
    } finally {
      release();
      this.#arm();
    }
  }
}
