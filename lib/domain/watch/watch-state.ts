import type { OccurrenceKey } from '../contract/occurrence-key.ts';
import type { JobDefinition } from '../job.ts';
import type { Incident } from './incident.ts';
import type { Deliveries } from './plan-delivery.ts';

/** What the watchdog remembers between two sweeps. Small on purpose: it is written once a minute. */
export interface WatchState {
  /** How far the watchdog has looked: the instant up to which the last sweep counted. Epoch milliseconds. */
  readonly sweptAt: number;
  /** When the last sweep took place. Epoch milliseconds. */
  readonly lastAt: number;
  /** Which definitions held when, the oldest first; the last one is in force. Never empty. */
  readonly epochs: readonly Epoch[];
  /** Occurrences that have a run without an outcome, or that may still start: looked at again in the next sweep. */
  readonly open: readonly OpenOccurrence[];
  /** Jobs whose definition is younger than the window of the next sweep: nothing before that instant is theirs. */
  readonly effectiveFrom: Readonly<Record<string, number>>;
  /** Pauses with an end, by job: the instant at which each ends. */
  readonly pauses: Readonly<Record<string, number>>;
  /** What is wrong with which job, and what people have been told of it. */
  readonly incidents: readonly Incident[];
  /** Grows by one with every write; two watchdogs at once cannot both move the state. */
  readonly version: number;
}

/** The time in which one set of job definitions held. Epoch milliseconds. */
export interface Epoch {
  /** Digest of the definitions; the roster is kept under it. */
  readonly roster: string;
  /** New and changed definitions count from here. */
  readonly from: number;
  /** Up to here those of the epoch before counted. In between nobody knows: only what both ask for is expected. */
  readonly before: number;
}

/** Something that is said once about an occurrence. */
export type Remark = 'late' | 'overdue' | 'slow' | 'stuck' | 'ended';

export interface OpenOccurrence extends OccurrenceKey {
  /** Before this instant a missing run is only late. Epoch milliseconds. */
  readonly startBy: number;
  readonly maxAttempts: number;
  /** A wall time that the clock jumped over, where the job wants it left out: it is recorded as skipped, at this instant. */
  readonly gap?: true;
  /** Nobody promised that it starts: it is looked after only if it has a run. */
  readonly adopted?: true;
  /** What the job was called when the occurrence was due: a run under that name is its run. */
  readonly formerName?: string;
  /** What the watchdog has delivered of it so far. */
  readonly deliveries?: Deliveries;
  readonly remarks?: readonly Remark[];
  /** What the run last said of its progress, and since when it says that. */
  readonly progress?: { readonly said: string; readonly since: number };
}

/** The part of a definition that the watchdog needs; kept so that a changed or removed job loses no occurrence. */
export type RosterEntry = Pick<
  JobDefinition,
  | 'name'
  | 'schedule'
  | 'timeZone'
  | 'dst'
  | 'startGraceMs'
  | 'retry'
  | 'overlap'
  | 'onTimeout'
  | 'pausable'
  | 'catchUp'
  | 'expectedDurationMs'
  | 'minimumDurationMs'
  | 'renamedFrom'
  | 'revision'
>;
