import type { ConsoleChange, ConsoleRunDetail, ConsoleState } from './console-state.ts';

/** What the console needs of whatever it shows. Refusals are BelfryErrors whose message a person can act on. */
export interface ConsoleSource {
  state(): Promise<ConsoleState>;
  /** Calls back with what changed, a few times a second at most. Returns how to end it. */
  subscribe(listener: (change: ConsoleChange) => void): () => void;
  /** Undefined when there is no such run. */
  run(job: string, scheduledTime: number): Promise<ConsoleRunDetail | undefined>;
  readonly actions: ConsoleActions;
  readonly clock: ConsoleClockControl;
}

export interface ConsoleActions {
  /** Starts a run of its own. Returns its scheduled time. */
  trigger(job: string): Promise<number>;
  pause(job: string, note: string): Promise<void>;
  resume(job: string): Promise<void>;
  /** Records an occurrence that has not begun as skipped. */
  skip(job: string, scheduledTime: number): Promise<void>;
  /** Runs what was due after `from` up to `to`. Returns how many were asked for. */
  backfill(job: string, from: number, to: number): Promise<number>;
}

export interface ConsoleClockControl {
  pause(): void;
  resume(): void;
  /** To the next occurrence of any job; then it stands. Returns its instant. */
  step(): number | undefined;
  /** As fast as the work allows until `to`, then on as before. Everything due on the way happens. */
  jump(to: number): void;
  setSpeed(speed: number): void;
}
