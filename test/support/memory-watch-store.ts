import { type OccurrenceKey, occurrenceId } from '../../lib/domain/contract/occurrence-key.ts';
import type { WatchPlace, WatchStore } from '../../lib/domain/watch/ports.ts';
import type { RosterEntry, WatchState } from '../../lib/domain/watch/watch-state.ts';

/** Keeps copies, like a real store: nobody can change what was saved. */
export class MemoryWatchStore implements WatchStore {
  #state: string | undefined;
  readonly #rosters = new Map<string, string>();
  /** What people asked for. */
  requested: readonly OccurrenceKey[] = [];

  async load(): Promise<WatchPlace> {
    return { state: this.#stored(), requested: this.requested };
  }

  async save(state: WatchState): Promise<boolean> {
    if ((this.#stored()?.version ?? 0) !== state.version - 1) return false;
    this.#state = JSON.stringify(state);
    return true;
  }

  async loadRoster(digest: string): Promise<readonly RosterEntry[]> {
    return JSON.parse(this.#rosters.get(digest) ?? '[]') as RosterEntry[];
  }

  async saveRoster(digest: string, roster: readonly RosterEntry[]): Promise<void> {
    this.#rosters.set(digest, JSON.stringify(roster));
  }

  async keepRosters(digests: readonly string[]): Promise<void> {
    for (const digest of this.#rosters.keys()) if (!digests.includes(digest)) this.#rosters.delete(digest);
  }

  async forgetRequested(keys: readonly OccurrenceKey[]): Promise<void> {
    const forgotten = new Set(keys.map(occurrenceId));
    this.requested = this.requested.filter((key) => !forgotten.has(occurrenceId(key)));
  }

  #stored(): WatchState | undefined {
    return this.#state === undefined ? undefined : (JSON.parse(this.#state) as WatchState);
  }
}
