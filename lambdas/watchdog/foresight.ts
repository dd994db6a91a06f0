import { type OccurrenceKey, occurrenceId } from '../../lib/domain/contract/occurrence-key.ts';
import type { RunRecord } from '../../lib/domain/run/run-record.ts';
import { dueOccurrences } from '../../lib/domain/watch/due.ts';
import type { OpenOccurrence, WatchState } from '../../lib/domain/watch/watch-state.ts';
import type { WatchedManifest } from './watched-manifest.ts';

/** Beyond these a guess costs more than it gains. */
const MOST_JOBS = 100;
const MOST_KEYS = 100;
const LONGEST_PAUSE_MS = 600_000;

/** Reads runs, as a store does. */
export interface RunReader {
  getRuns(keys: readonly OccurrenceKey[]): Promise<readonly RunRecord[]>;
}

/**
 * What the next sweep of this process will look at, if it begins where the last one ended: its runs can be asked for before
 * the place has been read. Only when they are read changes by that, and a run is judged by what is written with conditions.
 */
export class Foresight {
  #last: { readonly state: WatchState; readonly manifest: WatchedManifest } | undefined;

  /** @param state what the sweep has saved; undefined if it saved nothing */
  remember(state: WatchState | undefined, manifest: WatchedManifest): void {
    this.#last = state === undefined ? undefined : { state, manifest };
  }

  /** The runs of a sweep at `now`, being read from here on. */
  runsAt(now: number, store: RunReader): RunReader {
    const keys = this.#keysAt(now);
    return keys.length === 0 ? store : new ForeseenRuns(store, keys);
  }

  #keysAt(now: number): readonly OccurrenceKey[] {
    if (this.#last === undefined) return [];
    const { state, manifest } = this.#last;
    if (manifest.jobs.length > MOST_JOBS || now - state.sweptAt > LONGEST_PAUSE_MS) return [];
    const { due } = dueOccurrences(manifest.jobs, {
      from: state.sweptAt,
      until: now,
      effectiveFrom: state.effectiveFrom,
    });
    const keys = [...due, ...state.open].flatMap(bothNames);
    return keys.length > MOST_KEYS ? [] : keys;
  }
}

/** Runs that were asked for on a guess; of others the store is asked when they are needed. */
class ForeseenRuns implements RunReader {
  readonly #store: RunReader;
  readonly #keys: ReadonlySet<string>;
  readonly #found: Promise<readonly RunRecord[]>;

  constructor(store: RunReader, keys: readonly OccurrenceKey[]) {
    this.#store = store;
    this.#keys = new Set(keys.map(occurrenceId));
    this.#found = store.getRuns(keys);
    // Whoever asks for them is told; a sweep that ends before is not.
    this.#found.catch(() => {});
  }

  async getRuns(keys: readonly OccurrenceKey[]): Promise<readonly RunRecord[]> {
    const others = keys.filter((key) => !this.#keys.has(occurrenceId(key)));
    const [found, more] = await Promise.all([this.#found, others.length === 0 ? [] : this.#store.getRuns(others)]);
    const wanted = new Set(keys.map(occurrenceId));
    return [...found.filter((run) => wanted.has(occurrenceId(run))), ...more];
  }
}

/** Under which names an occurrence may have a record. */
export function bothNames({ job, scheduledTime, formerName }: OpenOccurrence): readonly OccurrenceKey[] {
  const key = { job, scheduledTime };
  return formerName === undefined ? [key] : [key, { job: formerName, scheduledTime }];
}
