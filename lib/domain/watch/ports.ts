import type { OccurrenceKey } from '../contract/occurrence-key.ts';
import type { OccurrenceEvent } from '../occurrence-event.ts';
import type { LedgerRow } from '../verify/job-check.ts';
import type { JobState, JobTiming } from './job-state.ts';
import type { FoundFunction, FoundSchedule, UndeliveredEvent } from './plan-cause.ts';
import type { Message } from './plan-telling.ts';
import type { RosterEntry, WatchState } from './watch-state.ts';

/** What a sweep begins with. */
export interface WatchPlace {
  /** What the last sweep left; undefined before the first. */
  readonly state: WatchState | undefined;
  /** What people asked for and nobody looks after yet. At most a thousand; the others after these are forgotten. */
  readonly requested: readonly OccurrenceKey[];
}

/** Where the watchdog keeps its place between two sweeps. */
export interface WatchStore {
  /** Strongly consistent. */
  load(): Promise<WatchPlace>;
  /** Writes `state` if the stored version is still `state.version - 1`; false when another watchdog was faster. */
  save(state: WatchState): Promise<boolean>;
  /** The definitions saved under this digest; none when there are none. */
  loadRoster(digest: string): Promise<readonly RosterEntry[]>;
  saveRoster(digest: string, roster: readonly RosterEntry[]): Promise<void>;
  /** Forgets all rosters but these. */
  keepRosters(digests: readonly string[]): Promise<void>;
  /** The watchdog looks after these from now on. */
  forgetRequested(keys: readonly OccurrenceKey[]): Promise<void>;
}

/** What is kept of each job beside its runs. */
export interface JobStateStore {
  /** The states that exist, by job. */
  loadJobStates(jobs: readonly string[]): Promise<ReadonlyMap<string, JobState>>;
  /**
   * Saves what was learned from the average `before`, which none stands for. False: another watchdog saved one meanwhile,
   * and that one stays.
   */
  saveTiming(job: string, timing: JobTiming, before: JobTiming | undefined): Promise<boolean>;
  /** Takes a pause away whose end has come. False: it was taken away or moved meanwhile. */
  endPause(job: string, until: number): Promise<boolean>;
}

/** Where people write down what they ask for: the watchdog finds it in its place. */
export interface RequestBook {
  /** Adding the same again changes nothing. */
  add(key: OccurrenceKey, now: number): Promise<void>;
}

/** Reads the rows of a job in a stretch of time. */
export interface AuditSource {
  /** After `from` (exclusive) up to `to` (inclusive), epoch milliseconds; a thousand at most. */
  rowsBetween(job: string, from: number, to: number): Promise<readonly LedgerRow[]>;
}

/** Delivers an occurrence to the function of its job, without waiting for the run. */
export interface JobInvoker {
  deliver(event: OccurrenceEvent): Promise<void>;
}

/** Looks at what should have fired and run a job. Each may throw, or take so long that the signal ends it. */
export interface EvidenceSource {
  schedule(name: string, signal: AbortSignal): Promise<FoundSchedule>;
  function(name: string, signal: AbortSignal): Promise<FoundFunction>;
  undelivered(signal: AbortSignal): Promise<readonly UndeliveredEvent[]>;
}

/** Tells people. One that throws was perhaps sent all the same: it is sent again, under the same id. */
export interface Notifier {
  notify(message: Message, signal: AbortSignal): Promise<void>;
}
