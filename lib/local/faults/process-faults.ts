import type { ExecutionEnvironment } from '../lambda/execution-environment.ts';
import type { FaultDice } from './fault-dice.ts';

/** A process is killed within this time after it got its event, if it is still at it: about as long as a small job takes. */
const KILL_WITHIN_MS = 25;

/** Faults that strike the functions' processes. */
export class ProcessFaults {
  readonly #dice: FaultDice;
  readonly #report: (text: string) => void;
  readonly #attempts = new Map<string, number>();
  #processes = 0;

  constructor(dice: FaultDice, report: (text: string) => void) {
    this.#dice = dice;
    this.#report = report;
  }

  /** Whether processes are killed. */
  get kills(): boolean {
    return (this.#dice.settings.chances.kill ?? 0) > 0;
  }

  /** How far the clock of a new process is off, milliseconds. */
  skew(functionName: string): number {
    const { skewMs } = this.#dice.settings;
    if (skewMs === 0) return 0;
    this.#processes++;
    const skew = Math.round((this.#dice.fraction('skew', functionName, String(this.#processes)) * 2 - 1) * skewMs);
    this.#report(`fault skew: the clock of a process of ${functionName} is off by ${skew} ms`);
    return skew;
  }

  /** May kill the process that has just been given this event. */
  onHandedOver(functionName: string, requestId: string, payload: string, environment: ExecutionEnvironment): void {
    if (this.#dice.settings.chances.kill === undefined) return;
    // Another attempt at the same event throws the dice again.
    const event = `${functionName} ${payload}`;
    const attempt = (this.#attempts.get(event) ?? 0) + 1;
    this.#attempts.set(event, attempt);
    const target = `${event} ${attempt}`;
    if (!this.#dice.strikes('kill', target)) return;
    const after = Math.floor(this.#dice.fraction('kill', 'after', target) * KILL_WITHIN_MS);
    setTimeout(() => {
      if (environment.requestId !== requestId) return;
      this.#report(`fault kill: a process of ${functionName} is killed ${after} ms into ${payload.slice(0, 120)}`);
      environment.kill();
    }, after);
  }
}
