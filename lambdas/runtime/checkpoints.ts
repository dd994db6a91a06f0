import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { BelfryError } from '../../lib/domain/errors.ts';
import type { NumberedCheckpoint, RunStore } from '../../lib/domain/ports.ts';
import type { Claim } from '../../lib/domain/run/run-record.ts';
import type { Json } from './job-run.ts';

/** Up to here a checkpoint lives in the run's own item, which must stay within one write unit. */
const INLINE_BYTES = 700;
/** A DynamoDB item holds 400 KB, keys and names included. */
const LARGEST_BYTES = 350 * 1024;
/** Marks a checkpoint that lives in an item of its own, followed by the fencing token in that item's key. */
const ELSEWHERE = '@';

interface Saved {
  readonly version: string;
  readonly steps: Record<string, Json>;
  /** Names of the steps that returned nothing. */
  readonly done?: readonly string[];
  readonly state?: Json;
}

/** What earlier attempts of a run have saved, and what this one adds. */
export class Checkpoint {
  readonly #version: string;
  readonly #steps: Map<string, Json | undefined>;
  readonly state: Json | undefined;
  #saves: number;

  private constructor(version: string, saved: Saved | undefined, saves: number) {
    this.#version = version;
    this.#saves = saves;
    // Steps that another version of the handler saved may mean something else: start from nothing.
    const usable = saved?.version === version ? saved : undefined;
    this.#steps = new Map();
    if (usable !== undefined) {
      for (const [step, value] of Object.entries(usable.steps)) this.#steps.set(step, value);
      for (const step of usable.done ?? []) this.#steps.set(step, undefined);
    }
    this.state = usable?.state;
  }

  static empty(version: string): Checkpoint {
    return new Checkpoint(version, undefined, 0);
  }

  static async load(store: RunStore<TransactWriteItem>, claim: Claim, version: string): Promise<Checkpoint> {
    const stored = claim.checkpoint;
    if (stored === undefined) return Checkpoint.empty(version);
    const text = stored.startsWith(ELSEWHERE)
      ? await store.loadLargeCheckpoint(claim, Number(stored.slice(ELSEWHERE.length)))
      : stored;
    return new Checkpoint(version, text === undefined ? undefined : (JSON.parse(text) as Saved), claim.saves ?? 0);
  }

  has(step: string): boolean {
    return this.#steps.has(step);
  }

  get(step: string): Json | undefined {
    return this.#steps.get(step);
  }

  /** @throws BelfryError `CheckpointTooLarge`; the steps that follow may still fit. */
  add(step: string, value: Json | undefined, job: string): void {
    this.#steps.set(step, value);
    if (this.fits()) return;
    this.#steps.delete(step);
    throw checkpointTooLarge(job);
  }

  /** Whether what is saved can be kept, with `state` in place of the last one. */
  fits(state?: Json): boolean {
    return Buffer.byteLength(this.#text(state)) <= LARGEST_BYTES;
  }

  /** Writes the large form where needed and returns what the run's own item holds. */
  async save(store: RunStore<TransactWriteItem>, claim: Claim, now: number, state?: Json): Promise<NumberedCheckpoint> {
    const text = this.#text(state);
    const number = ++this.#saves;
    if (Buffer.byteLength(text) <= INLINE_BYTES) return { text, number };
    await store.saveLargeCheckpoint(claim, { text, number }, now);
    return { text: `${ELSEWHERE}${claim.fencingToken}`, number };
  }

  #text(newState: Json | undefined): string {
    const state = newState === undefined ? this.state : newState;
    const values = [...this.#steps].filter((step): step is [string, Json] => step[1] !== undefined);
    const done = [...this.#steps.keys()].filter((step) => this.#steps.get(step) === undefined);
    const saved: Saved = {
      version: this.#version,
      steps: Object.fromEntries(values),
      ...(done.length === 0 ? {} : { done }),
      ...(state === undefined ? {} : { state }),
    };
    return JSON.stringify(saved);
  }
}

export function checkpointTooLarge(job: string): BelfryError {
  return new BelfryError(
    'CheckpointTooLarge',
    `what job '${job}' saves, its steps and its state, takes more than ${LARGEST_BYTES} bytes: save a reference, such as an S3 key, instead of the value`,
  );
}

/**
 * `value` as a later attempt would read it.
 * @throws BelfryError `StepNotJson`
 */
export function asJson(value: unknown, what: string): Json | undefined {
  if (value === undefined) return undefined;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw notJson(what, String(error), error);
  }
  if (text === undefined) throw notJson(what, `a ${typeof value} has no JSON`, undefined);
  return JSON.parse(text) as Json;
}

function notJson(what: string, why: string, cause: unknown): BelfryError {
  const message = `${what} cannot be saved (${why}): use values that JSON can hold, such as text, numbers, lists and plain objects`;
  return new BelfryError('StepNotJson', message, { cause });
}

/** What a handler returned, for the record. */
export function resultText(value: unknown): string | undefined {
  try {
    return value === undefined ? undefined : JSON.stringify(value);
  } catch {
    // A result is a note for people: that it has no JSON must not undo the work.
    return undefined;
  }
}
