import type { OccurrenceEvent } from '../occurrence-event.ts';
import type { RosterEntry, WatchState } from './watch-state.ts';

/** Where the watchdog keeps its place between two sweeps. */
export interface WatchStore {
  /** The state of the last sweep, or undefined before the first. Strongly consistent. */
  load(): Promise<WatchState | undefined>;
  /** Writes `state` if the stored version is still `state.version - 1`; false when another watchdog was faster. */
  save(state: WatchState): Promise<boolean>;
  /** The definitions saved under this digest; none when there are none. */
  loadRoster(digest: string): Promise<readonly RosterEntry[]>;
  saveRoster(digest: string, roster: readonly RosterEntry[]): Promise<void>;
  /** Forgets all rosters but these. */
  keepRosters(digests: readonly string[]): Promise<void>;
}

/** Delivers an occurrence to the function of its job, without waiting for the run. */
export interface JobInvoker {
  deliver(event: OccurrenceEvent): Promise<void>;
}
