import type { Severity } from '../contract/severity.ts';
import type { MissCause } from './plan-cause.ts';

/**
 * What can be wrong with a job: it did not start in time (whether it started later or was missed); it has no success by its
 * time; it failed; it was still going at its timeout; its progress stands still; it takes longer than usual; it was done too
 * soon; it ran when it was not due.
 */
export type JobTrouble = 'late' | 'overdue' | 'failed' | 'timedOut' | 'stuck' | 'slow' | 'tooFast' | 'tooOften';

/** And what can be wrong with the watchdog itself: no sweep took place. */
export type Trouble = JobTrouble | 'silent';

export const SEVERITY_OF: Readonly<Record<Trouble, Severity>> = {
  late: 'warn',
  overdue: 'page',
  failed: 'ticket',
  timedOut: 'ticket',
  stuck: 'warn',
  slow: 'warn',
  tooFast: 'warn',
  tooOften: 'warn',
  silent: 'page',
};

/** What becomes of an occurrence that did not start in time. */
export type Outlook =
  /** The watchdog starts it in this sweep. */
  | 'starts'
  /** It starts when it is its turn. */
  | 'waits'
  /** It began by itself, late. */
  | 'began'
  /** It does not start any more. */
  | 'missed'
  /** It waited for its turn, and late it does harm: it is skipped. */
  | 'stale';

/** What an occurrence says about its job: that something is wrong, or that it is well. */
export interface JobSignal {
  readonly job: string;
  /** Epoch milliseconds. */
  readonly scheduledTime: number;
  /** `started`: in time, and by its own schedule. */
  readonly kind: JobTrouble | 'started' | 'succeeded';
  /** Of one that is late. */
  readonly outlook?: Outlook;
  /** What was seen, and what was allowed. Milliseconds. */
  readonly observedMs?: number;
  readonly limitMs?: number;
}

/** Why an occurrence did not start, as far as it was found out, and the command to begin with. */
export interface FoundCause {
  readonly cause: MissCause;
  readonly detail?: string;
  readonly fix?: string;
}

/**
 * `opened`: something went wrong. `followUp`: more is known about it. `reminder`: it is still so. `closed`: the jobs are well
 * again.
 */
export type Change = 'opened' | 'followUp' | 'reminder' | 'closed';

/** In the place of a job: the watchdog itself. */
export const THE_WATCHDOG = 'the watchdog';

/** One kind of trouble that a job is in. Kept until the job is well and people know it. Instants in epoch milliseconds. */
export interface Incident {
  readonly job: string;
  readonly kind: Trouble;
  /** Those that are told of in one message have one. Empty until then. */
  readonly id: string;
  readonly since: number;
  /** The newest occurrence that went wrong, and what was seen of it. */
  readonly scheduledTime: number;
  readonly outlook?: Outlook;
  readonly observedMs?: number;
  readonly limitMs?: number;
  /** Occurrences that went wrong so far. */
  readonly count: number;
  /** When the last of them was found. */
  readonly badAt: number;
  /** An occurrence of it does not start any more. */
  readonly missed?: true;
  readonly cause?: FoundCause;
  /** Since when there are signs that the job is well again. */
  readonly wellSince?: number;
  /** Since when what was late has succeeded, although nothing says yet that the next one will be in time. */
  readonly madeUpSince?: number;
  /** When people were told that it opened, or were reminded of it. */
  readonly toldAt?: number;
  readonly reminders?: number;
  /** It opened while work was done on purpose, and nobody was told. */
  readonly held?: true;
  /** What people have to be told and nobody has confirmed that they were. */
  readonly untold?: Change;
}
