import { TurnMemory } from '../../lambdas/runtime/turn-memory.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

export interface Delivery {
  readonly scheduledTime: number;
  readonly lambdaRetries: number;
}

/** One process carrying out one delivery. */
export interface Invocation {
  readonly id: number;
  readonly delivery: Delivery;
  /** What the process remembers of its earlier deliveries. */
  readonly turns: TurnMemory;
  ended: boolean;
}

/** Processes that wait for their next invocation: each remembers its earlier ones. */
export class WarmProcesses {
  readonly #waiting: TurnMemory[] = [];

  /** Most of the time one that waits, if there is any; else a new one. */
  take(random: SeededRandom): TurnMemory {
    const [warm] = random.chance(0.7) ? this.#waiting.splice(random.below(this.#waiting.length), 1) : [];
    return warm ?? new TurnMemory();
  }

  /** The invocation ended, and its process did not. */
  keep({ turns }: Invocation): void {
    this.#waiting.push(turns);
  }
}
