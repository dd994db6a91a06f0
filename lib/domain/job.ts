import { BelfryError } from './errors.ts';

/** What happens to a wall time that the clock jumps over: it is left out, or it happens at the first instant after. */
export type GapPolicy = 'skip' | 'runAfter';
/** What happens to a wall time that the clock shows twice. */
export type FoldPolicy = 'first' | 'second' | 'both';
/** What to do when an occurrence is due while the previous run is still going. */
export type OverlapPolicy = 'skip' | 'bufferOne' | 'cancelOther' | 'allow';
export type Backoff = 'fixed' | 'linear' | 'exponential';
/** Why a run exists. A retry is an attempt of the same run, not a trigger. */
export type Trigger = 'schedule' | 'catchUp' | 'manual' | 'backfill';

export interface DstPolicy {
  readonly gap?: GapPolicy;
  readonly fold?: FoldPolicy;
}

export interface RetryPolicy {
  /** Attempts in all; the first one counts. */
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
}

/**
 * One job as declared, in the form that crosses process borders: plain JSON, durations in milliseconds. The constructs
 * write it at synth; the runtime reads its own from `BELFRY_JOB`, the watchdog reads all from the manifest in its bundle.
 */
export interface JobDefinition {
  readonly name: string;
  /** Unix five fields, a macro, `cron()`/`rate()`/`at()`, or a list of these (their union). */
  readonly schedule: string | readonly string[];
  /** IANA name. */
  readonly timeZone: string;
  readonly dst: DstPolicy;
  /** Longest that one attempt may take; the Lambda's timeout. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly overlap: OverlapPolicy;
  /** How long after its scheduled time an occurrence may start before it counts as not started. */
  readonly startGraceMs: number;
  readonly expectedDurationMs?: number;
  /** Digest of what decides when the job is due (schedule, zone, DST policy): an occurrence belongs to one revision. */
  readonly revision: string;
}

/** All jobs of one scheduler: the declaration is the monitor. */
export interface Manifest {
  readonly version: 1;
  readonly environment: string;
  readonly jobs: readonly JobDefinition[];
}

const JOB_NAME = /^[a-z][a-z0-9-]{0,47}$/;

/** A job's name is part of schedule names (at most 64 characters), metric dimensions and keys. */
export function assertJobName(name: string): void {
  if (!JOB_NAME.test(name)) {
    throw new BelfryError(
      'IllegalJobName',
      `job name '${name}' is not allowed: use 1 to 48 lower-case letters, digits and hyphens, starting with a letter, e.g. 'invoice-dunning'`,
    );
  }
}
