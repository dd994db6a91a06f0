import { Duration } from 'aws-cdk-lib/core';
import type { Backoff, CatchUpPolicy, DstPolicy, JobDefinition, OverlapPolicy } from '../domain/job.ts';

export interface RetryOptions {
  /**
   * Attempts in all; the first one counts. Too few, and a passing fault fails the run; too many, and a lasting one is
   * reported late.
   *
   * @default 3
   */
  readonly maxAttempts?: number;
  /**
   * How the delay grows from one attempt to the next. `exponential` doubles it and draws the delay between zero and that,
   * so that jobs which failed together do not come back together.
   *
   * @default 'exponential'
   */
  readonly backoff?: Backoff;
  /**
   * Delay before the second attempt.
   *
   * @default Duration.seconds(10)
   */
  readonly initialDelay?: Duration;
  /**
   * Longest delay between two attempts.
   *
   * @default Duration.minutes(30)
   */
  readonly maxDelay?: Duration;
}

export interface CatchUpOptions {
  /**
   * Which occurrences that did not start in time start late: `none`, only the `latest`, or `all` of the newest `maxRuns`.
   * What is not started is recorded as missed.
   *
   * @default 'latest'
   */
  readonly policy?: CatchUpPolicy['policy'];
  /**
   * An occurrence older than this is given up. Long, and a job meant for the night may run at noon.
   *
   * @default Duration.hours(1)
   */
  readonly maxAge?: Duration;
  /**
   * How many start late at most; with `latest`, one. What an outage of a day left behind is not all run at once.
   *
   * @default 1
   */
  readonly maxRuns?: number;
  /**
   * A late start does more harm than none: whatever the policy says, nothing starts late.
   *
   * @default false
   */
  readonly harmfulWhenLate?: boolean;
}

/** What can be said of one job, of all jobs of a scheduler, or of a job in one environment. */
export interface JobOptions {
  /**
   * Longest that one attempt may take; the Lambda function's timeout. The handler is told to stop three seconds before.
   * Too short, and slow days fail; too long, and a hung attempt is noticed late, because its lease lasts as long.
   * From 10 seconds to 15 minutes.
   *
   * @default Duration.minutes(5)
   */
  readonly timeout?: Duration;
  /** What happens when an attempt fails. */
  readonly retry?: RetryOptions;
  /**
   * What happens when an occurrence is due while the run before it is still going.
   *
   * @default 'skip'
   */
  readonly overlap?: OverlapPolicy;
  /**
   * What becomes of occurrences that did not start in time.
   *
   * @default { policy: 'latest', maxAge: Duration.hours(1), maxRuns: 1, harmfulWhenLate: false }
   */
  readonly catchUp?: CatchUpOptions;
  /**
   * What happens to a wall time that the clock jumps over (`gap`) or shows twice (`fold`).
   *
   * @default { gap: 'skip', fold: 'first' }
   */
  readonly dst?: DstPolicy;
  /**
   * How long after its scheduled time an occurrence may start before it counts as missed. Shorter than a cold start, and
   * the watchdog cries wolf; long, and it says so late. The minute that EventBridge Scheduler takes is not part of it.
   *
   * @default Duration.minutes(1)
   */
  readonly startGrace?: Duration;
  /**
   * How an attempt holds its run. `invocation`: as long as the Lambda invocation can last. `heartbeat`: a lease of 90
   * seconds that is renewed, one write every 30 seconds; a crash is noticed sooner, but an attempt that stalls may then
   * overlap its successor.
   *
   * @default 'invocation'
   */
  readonly lease?: NonNullable<JobDefinition['lease']>;
  /**
   * What follows when an attempt reaches its deadline. `retry`: the next attempt. `fail`: the run ends as timed out.
   * `hold`: the run ends, and the job pauses until a person has looked.
   *
   * @default 'retry'
   */
  readonly onTimeout?: NonNullable<JobDefinition['onTimeout']>;
  /**
   * `auto`: near the deadline the run ends its invocation at a step and goes on in a fresh one. `manual`: only where the
   * handler says `run.continueLater`.
   *
   * @default 'manual'
   */
  readonly continuation?: NonNullable<JobDefinition['continuation']>;
  /**
   * Most invocations that one attempt may go on for.
   *
   * @default 20
   */
  readonly maxSegments?: number;
  /**
   * How long a run usually takes. Alarms for runs that are late or slow start from it.
   *
   * @default - not known
   */
  readonly expectedDuration?: Duration;
  /**
   * A run that succeeds in less cannot have done its work, and is reported.
   *
   * @default - any success is one
   */
  readonly minimumDuration?: Duration;
  /**
   * Whether the schedules fire. A disabled job keeps its function, so that it can still be triggered by hand.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Memory of the function in MiB; its share of the processor grows with it.
   *
   * @default 256
   */
  readonly memorySize?: number;
  /**
   * Further environment variables of the function. Names that start with `BELFRY_` are taken.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * An alarm of the job's own when a run finally fails, beside the one for all jobs. Alarms are billed each.
   *
   * @default false
   */
  readonly failedAlarm?: boolean;
}

/** Options with nothing left open. */
export interface ResolvedJobOptions {
  readonly timeout: Duration;
  readonly retry: Required<RetryOptions>;
  readonly overlap: OverlapPolicy;
  readonly catchUp: Required<CatchUpOptions>;
  readonly dst: DstPolicy;
  readonly startGrace: Duration;
  readonly lease: NonNullable<JobDefinition['lease']>;
  readonly onTimeout: NonNullable<JobDefinition['onTimeout']>;
  readonly continuation: NonNullable<JobDefinition['continuation']>;
  readonly maxSegments: number;
  readonly expectedDuration: Duration | undefined;
  readonly minimumDuration: Duration | undefined;
  readonly enabled: boolean;
  readonly memorySize: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly failedAlarm: boolean;
}

const DEFAULTS: ResolvedJobOptions = {
  timeout: Duration.minutes(5),
  retry: {
    maxAttempts: 3,
    backoff: 'exponential',
    initialDelay: Duration.seconds(10),
    maxDelay: Duration.minutes(30),
  },
  overlap: 'skip',
  catchUp: { policy: 'latest', maxAge: Duration.hours(1), maxRuns: 1, harmfulWhenLate: false },
  dst: { gap: 'skip', fold: 'first' },
  startGrace: Duration.minutes(1),
  lease: 'invocation',
  onTimeout: 'retry',
  continuation: 'manual',
  maxSegments: 20,
  expectedDuration: undefined,
  minimumDuration: undefined,
  enabled: true,
  memorySize: 256,
  environment: {},
  failedAlarm: false,
};

/** Lays options over the defaults, later ones over earlier ones; `retry`, `catchUp`, `dst` and `environment` member by member. */
export function resolveJobOptions(...layers: readonly JobOptions[]): ResolvedJobOptions {
  return layers.reduce<ResolvedJobOptions>(
    (below, layer) => ({
      timeout: layer.timeout ?? below.timeout,
      retry: { ...below.retry, ...layer.retry },
      overlap: layer.overlap ?? below.overlap,
      catchUp: { ...below.catchUp, ...layer.catchUp },
      dst: { ...below.dst, ...layer.dst },
      startGrace: layer.startGrace ?? below.startGrace,
      lease: layer.lease ?? below.lease,
      onTimeout: layer.onTimeout ?? below.onTimeout,
      continuation: layer.continuation ?? below.continuation,
      maxSegments: layer.maxSegments ?? below.maxSegments,
      expectedDuration: layer.expectedDuration ?? below.expectedDuration,
      minimumDuration: layer.minimumDuration ?? below.minimumDuration,
      enabled: layer.enabled ?? below.enabled,
      memorySize: layer.memorySize ?? below.memorySize,
      environment: { ...below.environment, ...layer.environment },
      failedAlarm: layer.failedAlarm ?? below.failedAlarm,
    }),
    DEFAULTS,
  );
}
