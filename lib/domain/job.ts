import { BelfryError } from './errors.ts';
import type { AwsSchedule } from './translation/aws-schedule.ts';

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

/** Which metrics a job has under its own name. */
export type MetricsByJob = 'scheduler' | 'failures' | 'detailed';

/** What becomes of occurrences that did not start in time. Each that is not started is recorded as `missed`. */
export interface CatchUpPolicy {
  /** `none`: they are given up. `latest`: the newest one starts. `all`: the newest `maxRuns` start, oldest first. */
  readonly policy: 'none' | 'latest' | 'all';
  /** An occurrence older than this is given up. */
  readonly maxAgeMs: number;
  readonly maxRuns: number;
  /** A late start does more harm than none: whatever the policy says, nothing starts late. */
  readonly harmfulWhenLate?: boolean;
}

/**
 * One job as declared, in the form that crosses process borders: plain JSON, durations in milliseconds. The constructs
 * write it at synth; the runtime reads its own from `BELFRY_JOB`, the watchdog reads all from the manifest beside the schedules.
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
  /** Default: none. */
  readonly catchUp?: CatchUpPolicy;
  readonly expectedDurationMs?: number;
  /** A run that succeeds in less cannot have done its work. */
  readonly minimumDurationMs?: number;
  /** What the job was called before: an occurrence that is due while it is renamed is neither lost nor carried out twice. */
  readonly renamedFrom?: string;
  /**
   * How an attempt holds its run. `invocation` (default): as long as the Lambda invocation can last. `heartbeat`: a short
   * lease that is renewed; a crash is noticed sooner, but an attempt that stalls may then overlap its successor.
   */
  readonly lease?: 'invocation' | 'heartbeat';
  /**
   * What follows when an attempt reaches its deadline. `retry` (default): the next attempt. `fail`: none, the run ends as
   * `timedOut`. `hold`: none, and the job pauses until a person has looked, because what the attempt did is unknown.
   */
  readonly onTimeout?: 'retry' | 'fail' | 'hold';
  /** With overlap `allow`: each run looks whether the job is paused before it starts, by one more read. Others always do. */
  readonly pausable?: boolean;
  /** `auto`: near the deadline the run ends its invocation at a step and goes on in a fresh one. Default `manual`. */
  readonly continuation?: 'manual' | 'auto';
  /** Most invocations that one attempt may go on for. Default 20. */
  readonly maxSegments?: number;
  /**
   * Which metrics are told under the job's own name, beside those of all jobs together. `scheduler`: none. `failures`
   * (default): failures and misses, when there are any. `detailed`: all.
   */
  readonly metrics?: MetricsByJob;
  /** How long the job's run records are kept, where it is due too rarely for the usual 90 days. */
  readonly retentionMs?: number;
  /** Digest of what decides when the job is due (schedule, zone, DST policy): an occurrence belongs to one revision. */
  readonly revision: string;
}

/** Jobs as the watchdog is told of them, those of one stack: the declaration is the monitor. */
export interface ManifestPart {
  /** Of the contract that it was written by. */
  readonly version: number;
  /** Those whose schedules fire. */
  readonly jobs: readonly JobDefinition[];
  /** Those whose schedules do not: nothing of theirs is due, but people may ask for a run. */
  readonly disabled?: readonly JobDefinition[];
  /** Name of each job's function, by job. Here and not in an environment variable, which Lambda limits to 4 KB in all. */
  readonly functions?: Readonly<Record<string, string>>;
  /** The schedules of EventBridge Scheduler that fire each job, by job. In the order of their names. */
  readonly awsSchedules?: Readonly<Record<string, readonly AwsSchedule[]>>;
}

/** All jobs of one scheduler. */
export interface Manifest extends ManifestPart {
  readonly environment: string;
  /** What the scheduler's names begin with. */
  readonly scheduler: string;
  /** The stacks that declare the jobs, as `cdk deploy` takes them: a path, or a pattern of paths. */
  readonly jobsStacks: string;
}

const JOB_NAME = /^[a-z][a-z0-9-]{0,47}$/;

/** A job's name is part of the names of functions and schedules, of metric dimensions and keys. */
export function assertJobName(name: string): void {
  if (!JOB_NAME.test(name)) {
    throw new BelfryError(
      'IllegalJobName',
      `job name '${name}' is not allowed: use 1 to 48 lower-case letters, digits and hyphens, starting with a letter, e.g. 'invoice-dunning'`,
    );
  }
}
