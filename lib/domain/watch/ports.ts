import type { OccurrenceEvent } from '../occurrence-event.ts';
import type { LedgerRow } from '../verify/job-check.ts';
import type { JobState, JobTiming } from './job-state.ts';
import type { OccurrenceKey } from './occurrence-key.ts';
import type { FoundFunction, FoundSchedule, UndeliveredEvent } from './plan-cause.ts';
import type { Notification } from './plan-notifications.ts';
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

/** What is kept of each job beside its runs. */
export interface JobStateStore {
  /** The states that exist, by job. */
  loadJobStates(jobs: readonly string[]): Promise<ReadonlyMap<string, JobState>>;
  saveTiming(job: string, timing: JobTiming): Promise<void>;
  /** Takes a pause away whose end has come. False: it was taken away or moved meanwhile. */
  endPause(job: string, until: number): Promise<boolean>;
}

/** What people asked for, until the watchdog looks after it. */
export interface RequestBook {
  /** Adding the same again changes nothing. */
  add(key: OccurrenceKey, now: number): Promise<void>;
  /** At most a thousand; the others after these are forgotten. */
  load(): Promise<readonly OccurrenceKey[]>;
  forget(keys: readonly OccurrenceKey[]): Promise<void>;
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

/** Tells people. What could not be told is lost: it is never told twice. */
export interface Notifier {
  notify(notification: Notification): Promise<void>;
}
