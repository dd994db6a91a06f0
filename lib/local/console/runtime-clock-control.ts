import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { ConsoleClockControl } from './console-source.ts';

/** As fast as the work allows. */
const FULL_SPEED = 1_000_000;

/** The controls of the runtime's clock. Nothing is passed over: events between here and there happen at their instants. */
export class RuntimeClockControl implements ConsoleClockControl {
  readonly #clock: VirtualClock;
  readonly #nextOccurrence: () => number | undefined;
  readonly #onMoved: () => void;
  #leap: { readonly cancel: () => void; readonly speed: number; readonly to: number } | undefined;

  /** @param nextOccurrence when a job is due next */
  constructor(clock: VirtualClock, nextOccurrence: () => number | undefined, onMoved: () => void) {
    this.#clock = clock;
    this.#nextOccurrence = nextOccurrence;
    this.#onMoved = onMoved;
  }

  /** The pace to which it returns after a jump. */
  get speed(): number {
    return this.#leap?.speed ?? this.#clock.speed;
  }

  /** Where a jump or a step is going. */
  get jumpsTo(): number | undefined {
    return this.#leap?.to;
  }

  pause(): void {
    this.#endLeap();
    this.#clock.pause();
    this.#onMoved();
  }

  resume(): void {
    this.#clock.resume();
    this.#onMoved();
  }

  step(): number | undefined {
    const at = this.#nextOccurrence();
    if (at !== undefined) this.#leapTo(at, true);
    return at;
  }

  jump(to: number): void {
    this.#leapTo(to, this.#clock.paused);
  }

  setSpeed(speed: number): void {
    this.#endLeap();
    this.#clock.setSpeed(speed);
    this.#onMoved();
  }

  #leapTo(at: number, standsThere: boolean): void {
    this.#endLeap();
    const { speed } = this.#clock;
    const cancel = this.#clock.schedule(at, () => {
      this.#endLeap();
      if (standsThere) this.#clock.pause();
      this.#onMoved();
    });
    this.#leap = { cancel, speed, to: at };
    this.#clock.setSpeed(FULL_SPEED);
    this.#clock.resume();
    this.#onMoved();
  }

  #endLeap(): void {
    if (this.#leap === undefined) return;
    const { cancel, speed } = this.#leap;
    this.#leap = undefined;
    cancel();
    this.#clock.setSpeed(speed);
  }
}
