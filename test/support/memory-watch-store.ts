import type { WatchStore } from '../../lib/domain/watch/ports.ts';
import type { RosterEntry, WatchState } from '../../lib/domain/watch/watch-state.ts';

/** Keeps copies, like a real store: nobody can change what was saved. */
export class MemoryWatchStore implements WatchStore {
  #state: string | undefined;
  #roster = '[]';

  async load(): Promise<WatchState | undefined> {
    return this.#state === undefined ? undefined : (JSON.parse(this.#state) as WatchState);
  }

  async save(state: WatchState): Promise<boolean> {
    const stored = await this.load();
    if ((stored?.version ?? 0) !== state.version - 1) return false;
    this.#state = JSON.stringify(state);
    return true;
  }

  async loadRoster(): Promise<readonly RosterEntry[]> {
    return JSON.parse(this.#roster) as RosterEntry[];
  }

  async saveRoster(roster: readonly RosterEntry[]): Promise<void> {
    this.#roster = JSON.stringify(roster);
  }
}
