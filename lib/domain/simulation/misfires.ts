import type { JobDefinition } from '../job.ts';
import { planCatchUp } from '../watch/plan-catch-up.ts';
import type { SimulatedRun } from './simulated-run.ts';
import type { SimulatedTurn } from './simulated-turn.ts';

const SWEEP_MS = 60_000;

interface Misfire {
  readonly scheduledTime: number;
  /** How many occurrences were due before it. */
  readonly ordinal: number;
}

/** What an outage left behind of one job: at every sweep after it the catch-up policy says what still starts. */
export class Misfires {
  readonly #job: Pick<JobDefinition, 'name' | 'overlap' | 'catchUp'>;
  readonly #turn: SimulatedTurn;
  readonly #told: (run: SimulatedRun) => void;
  #lost: readonly Misfire[] = [];
  #due = 0;
  #sweepAt = 0;

  constructor(
    job: Pick<JobDefinition, 'name' | 'overlap' | 'catchUp'>,
    turn: SimulatedTurn,
    told: (run: SimulatedRun) => void,
  ) {
    this.#job = job;
    this.#turn = turn;
    this.#told = told;
  }

  /** Another occurrence is due, and starts in time. */
  countDue(): void {
    this.#due += 1;
  }

  /** Another occurrence is due, and does not start. */
  add(scheduledTime: number): void {
    this.#lost = [...this.#lost, { scheduledTime, ordinal: this.#due }];
    this.#due += 1;
  }

  /** The watchdog is at work again, and was not before. */
  sweepFrom(instant: number): void {
    this.#sweepAt = Math.ceil(instant / SWEEP_MS) * SWEEP_MS;
  }

  /** Does what the sweeps up to `now` do. Runs that exclude each other start one after the other, the oldest first. */
  startUntil(now: number): void {
    while (this.#lost.length > 0 && this.#sweepAt <= now) {
      const sweepAt = this.#sweepAt;
      this.#turn.settle(sweepAt);
      const { start, giveUp } = planCatchUp(
        this.#lost.map((one) => ({ ...one, laterDue: this.#due - 1 - one.ordinal })),
        this.#job.catchUp,
        sweepAt,
      );
      for (const { scheduledTime } of giveUp) {
        this.#told({ job: this.#job.name, scheduledTime, deliveredBy: 'nobody', status: 'missed', cause: 'outage' });
      }
      const isFree = this.#turn.freeAt === undefined;
      const starts = this.#job.overlap === 'allow' ? start : isFree ? start.slice(0, 1) : [];
      for (const { scheduledTime } of starts) this.#turn.deliver(scheduledTime, sweepAt, 'watchdog');
      this.#lost = start.slice(starts.length);
      this.#sweepAt = sweepAt + SWEEP_MS;
    }
  }
}
