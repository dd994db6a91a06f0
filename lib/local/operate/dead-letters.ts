import {
  type DeadLetter,
  type DeadLetterChoice,
  isChosen,
  nameLetter,
  planRedelivery,
} from '../../domain/operate/plan-dead-letters.ts';
import type { OperatorRequest, OperatorStore } from '../../domain/operate/ports.ts';
import type { RosterEntry } from '../../domain/watch/watch-state.ts';
import type { Operator } from './operator.ts';

/** Letters that nobody else gets until they are given back. */
export interface Held {
  readonly letters: readonly DeadLetter[];
  readonly mayBeMore: boolean;
  remove(letter: DeadLetter): Promise<void>;
  giveBack(): Promise<void>;
}

export interface DeadLettersParts {
  readonly queue: { hold(): Promise<Held> };
  readonly store: Pick<OperatorStore, 'getRuns'>;
  readonly operator: Pick<Operator, 'redeliver'>;
  readonly jobs: readonly RosterEntry[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What became of one letter. */
export interface LetterOutcome {
  /** The occurrence, or what it is instead. */
  readonly letter: string;
  /** `kept`: it is still in the queue. */
  readonly became: 'delivered' | 'discarded' | 'kept';
  readonly why?: string;
}

export interface LettersDone {
  readonly outcomes: readonly LetterOutcome[];
  /** Whether the queue holds more than was looked at. */
  readonly mayBeMore: boolean;
}

/** What a person does with events that were given up, here and on AWS. */
export class DeadLetters {
  readonly #parts: DeadLettersParts;

  constructor(parts: DeadLettersParts) {
    this.#parts = parts;
  }

  /**
   * Delivers again what is chosen, the oldest first. A letter leaves the queue when Lambda has taken its event, or when
   * there is nothing left to do: cut off in between, the event comes twice, and the claim lets one of them start.
   */
  async deliver(choice: DeadLetterChoice, request: OperatorRequest): Promise<LettersDone> {
    const { operator } = this.#parts;
    const taken = new Set<string>();
    return this.#each(choice, async (letter, held) => {
      const name = nameLetter(letter);
      if (taken.has(name)) {
        await held.remove(letter);
        return { letter: name, became: 'discarded', why: 'the same event was delivered a moment ago' };
      }
      const plan = await this.#plan(letter);
      if (plan.next === 'keep') return { letter: name, became: 'kept', why: plan.why };
      if (plan.next === 'discard') {
        await held.remove(letter);
        return { letter: name, became: 'discarded', why: plan.why };
      }
      try {
        await operator.redeliver(plan.event, request);
      } catch (error) {
        // The others may go to functions that take them.
        if (!(error instanceof Error)) throw error;
        return { letter: name, became: 'kept', why: `it was not taken: ${error.message}` };
      }
      taken.add(name);
      await held.remove(letter);
      return { letter: name, became: 'delivered' };
    });
  }

  /** Removes what is chosen for good. */
  async discard(choice: DeadLetterChoice): Promise<LettersDone> {
    return this.#each(choice, async (letter, held) => {
      await held.remove(letter);
      return { letter: nameLetter(letter), became: 'discarded' };
    });
  }

  async #plan(letter: DeadLetter) {
    const { jobs, store, now } = this.#parts;
    const { event } = letter;
    const [run] = event === undefined ? [] : await store.getRuns([event]);
    return planRedelivery(letter, { job: jobs.find(({ name }) => name === event?.job), run, now: now() });
  }

  async #each(
    choice: DeadLetterChoice,
    act: (letter: DeadLetter, held: Held) => Promise<LetterOutcome>,
  ): Promise<LettersDone> {
    const held = await this.#parts.queue.hold();
    try {
      const chosen = held.letters.filter((letter) => isChosen(letter, choice));
      chosen.sort((one, other) => one.givenUpAt - other.givenUpAt);
      const outcomes: LetterOutcome[] = [];
      for (const letter of chosen) outcomes.push(await act(letter, held));
      return { outcomes, mayBeMore: held.mayBeMore };
    } finally {
      await held.giveBack();
    }
  }
}
