import { Duration } from 'aws-cdk-lib/core';
import type { Backoff, CatchUpPolicy, DstPolicy, JobDefinition, MetricsByJob, OverlapPolicy } from '../domain/job.ts';

export interface RetryOptions {
  /**
   * Number of attempts; the first one counts. People are told of a failure after the last attempt, so many attempts delay
   * the message.
   *
   * @default 3
   */
  readonly maxAttempts?: number;
  /**
   * How the delay grows from one attempt to the next. `fixed`: every delay is `initialDelay`. `linear`: each delay is longer
   * by `initialDelay`. `exponential`: the limit doubles, and the delay is drawn at random between zero and the limit, so that
   * jobs that failed together do not retry together.
   *
   * @default 'exponential'
   */
  readonly backoff?: Backoff;
  /**
   * Delay before the second attempt. Choose it longer than a typical outage of what the job depends on. A delay of up to a
   * minute is waited for in the invocation, if another attempt still fits, and is billed. A longer delay is not billed.
   *
   * @default Duration.seconds(10)
   */
  readonly initialDelay?: Duration;
  /**
   * Longest delay between two attempts. With overlap `skip`, later occurrences are skipped while a run waits for its next
   * attempt: keep this below the interval of the job.
   *
   * @default Duration.minutes(30)
   */
  readonly maxDelay?: Duration;
}

export interface CatchUpOptions {
  /**
   * Which occurrences that did not start in time are started late: `none` of them, only the `latest`, or `all` of the newest
   * `maxRuns`. The others are recorded as missed. Choose `all` where each occurrence has work of its own, e.g. one report for
   * each hour. Choose `latest` where one run does the work of those before it, too.
   *
   * @default 'latest'
   */
  readonly policy?: CatchUpPolicy['policy'];
  /**
   * An occurrence older than this is not started any more, and is recorded as missed. Choose it longer than an outage that
   * the job should survive. A nightly job with twelve hours may run at noon.
   *
   * @default Duration.hours(1)
   */
  readonly maxAge?: Duration;
  /**
   * Most occurrences that are started late after one outage; older ones are recorded as missed. With policy `latest` it is
   * one. Check that what the job depends on can bear this many runs one right after the other.
   *
   * @default 1
   */
  readonly maxRuns?: number;
  /**
   * If true, no occurrence is started late, whatever the policy says. For jobs that are wrong at another time, like "close
   * the shop at eight in the evening".
   *
   * @default false
   */
  readonly harmfulWhenLate?: boolean;
}

/** What can be said of one job, of all jobs of a scheduler, or of a job in one environment. */
export interface JobOptions {
  /**
   * Longest time that one attempt may take, from 10 seconds to 15 minutes: the timeout of the Lambda function. The handler
   * is told to stop three seconds before. With lease `invocation` the lease lasts a little longer, so an attempt whose process died
   * is replaced only after this time.
   *
   * @default Duration.minutes(5)
   */
  readonly timeout?: Duration;
  /**
   * When the handler is called again after an attempt failed. Whatever the failed attempt did outside of `run.commit`, the
   * next attempt may do a second time.
   *
   * @default { maxAttempts: 3, backoff: 'exponential', initialDelay: Duration.seconds(10), maxDelay: Duration.minutes(30) }
   */
  readonly retry?: RetryOptions;
  /**
   * What happens when an occurrence is due while the run before it is still going. `skip`: the new occurrence is recorded as
   * skipped. `bufferOne`: the newest occurrence waits until the run has ended. `cancelOther`: the old run is stopped, so
   * if every run is slow, none may finish. `allow`: both run at the same time, so the handler must be written for that.
   * `allow` saves one write for each run.
   *
   * @default 'skip'
   */
  readonly overlap?: OverlapPolicy;
  /**
   * Which occurrences that did not start in time the watchdog starts late, and which it records as missed.
   *
   * @default { policy: 'latest', maxAge: Duration.hours(1), maxRuns: 1, harmfulWhenLate: false }
   */
  readonly catchUp?: CatchUpOptions;
  /**
   * What happens to a wall time that the clock jumps over (`gap`) or shows twice (`fold`). `gap: 'skip'`: a daily job at such
   * a time does not run on that day. `gap: 'runAfter'`: the job runs at the first instant after the gap. `fold: 'first'` or
   * `'second'`: the job runs in one of the two hours only. `fold: 'both'`: the job runs in both.
   *
   * If `fold` is left out, a job at a fixed hour runs once, in the first hour. A job whose hour field starts with `*` runs in
   * both hours, so that an hourly job does not pause for two hours.
   *
   * @default - gap: 'skip'; fold: 'first' for a fixed hour, 'both' for an hour field that starts with `*`
   */
  readonly dst?: DstPolicy;
  /**
   * How long after its scheduled time an occurrence may start before it counts as late, in whole minutes. EventBridge
   * Scheduler fires within a minute; this minute is added. People are told by
   * `scheduledTime + startGrace + 2 min 15 s`. Choose it longer than a cold start of the function.
   *
   * @default Duration.minutes(1)
   */
  readonly startGrace?: Duration;
  /**
   * How long the lease of an attempt on its run lasts. `invocation`: as long as the Lambda invocation can last, so a crash is
   * noticed when the timeout is over. `heartbeat`: 90 seconds, renewed by one write every 30 seconds, so a crash is noticed
   * sooner. But an attempt that hangs may lose its lease, come back, and go on beside the next attempt.
   *
   * @default 'invocation'
   */
  readonly lease?: NonNullable<JobDefinition['lease']>;
  /**
   * What happens when an attempt reaches its deadline. `retry`: the next attempt starts, and may do again what was done in
   * part. `fail`: the run ends as timed out. `hold`: the run ends as timed out, and the job is paused until a person resumes
   * it.
   *
   * @default 'retry'
   */
  readonly onTimeout?: NonNullable<JobDefinition['onTimeout']>;
  /**
   * Whether a job with overlap `allow` can be paused. If true, each run reads the job's item before it starts, which costs
   * one request and one read unit. If false, `belfry pause` refuses the job, and only a deployment with `enabled: false`
   * stops it. Jobs with another overlap, or with `onTimeout: 'hold'`, can always be paused.
   *
   * @default false
   */
  readonly pausable?: boolean;
  /**
   * How a run goes on in another invocation. `auto`: when the deadline is near, the run ends its invocation at the next step
   * and goes on in a fresh one. `manual`: only where the handler calls `run.continueLater`. With `auto`, work that never ends
   * is stopped after `maxSegments` invocations; all of them are billed.
   *
   * @default 'manual'
   */
  readonly continuation?: NonNullable<JobDefinition['continuation']>;
  /**
   * Most invocations that one attempt may take; the first one counts. A run that needs more ends as failed, without a
   * retry. Choose the length of the longest work divided by the timeout, and some reserve.
   *
   * @default 20
   */
  readonly maxSegments?: number;
  /**
   * How long a run takes on a slow day. A job without a success by `scheduledTime + expectedDuration + 5 minutes` is overdue,
   * and people are paged. If it is left out, the job is never overdue.
   *
   * @default - not known
   */
  readonly expectedDuration?: Duration;
  /**
   * A run that succeeds in less time is reported, because it may have done nothing. Choose less than the time that a run takes
   * on a day with little to do.
   *
   * @default - any success is one
   */
  readonly minimumDuration?: Duration;
  /**
   * Whether the schedules fire. A disabled job keeps its function, so `belfry trigger` can still start it. Disabled jobs are
   * not watched: no message and no alarm tells you that the job is off. Environments can set it to false, e.g. where the job
   * must not touch their data.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Memory of the function in MiB, from 128 to 10,240. The function's share of the processor grows with its memory. All of
   * the memory is billed, used or not; a function that needs more is killed.
   *
   * @default 256
   */
  readonly memorySize?: number;
  /**
   * Further environment variables of the function. Names that start with `BELFRY_`, `AWS_` or `LAMBDA_` are taken. Whoever
   * may look at the function can read its variables: keep a secret in Secrets Manager, and put only its name here.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Whether stack traces name file and line of the sources, as they do locally; otherwise they name columns of minified code.
   * The source map of the project's own modules is deployed beside the code, without their text, and Node is started with
   * `--enable-source-maps`. This costs each cold start a few milliseconds. It has no effect on an `image`, nor on a
   * `function` that exists already.
   *
   * @default true
   */
  readonly sourceMaps?: boolean;
  /**
   * Whether the job has an alarm of its own for runs that fail in their last attempt. The watchdog tells of these failures in
   * any case; use the alarm where something acts on it. Each alarm costs about 0.10 USD a month.
   *
   * @default false
   */
  readonly failedAlarm?: boolean;
  /**
   * Which metrics a job has in CloudWatch under its own name. The scheduler always has all metrics of all jobs together.
   * `failures`: only what goes wrong (failed, missed, late and the like), so a job that runs well has no metric to pay for.
   * `detailed`: also successes, durations and lateness, about 1.20 USD a month for each job. `scheduler`: none, so the job
   * cannot have an alarm of its own. With 10,000 hourly jobs of which one run in 200 fails, `failures` costs about 15 USD a
   * month.
   *
   * @default - 'failures'; of a job of a fleet 'scheduler', unless it has an alarm of its own
   */
  readonly metrics?: MetricsByJob;
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
  readonly pausable: boolean;
  readonly continuation: NonNullable<JobDefinition['continuation']>;
  readonly maxSegments: number;
  readonly expectedDuration: Duration | undefined;
  readonly minimumDuration: Duration | undefined;
  readonly enabled: boolean;
  readonly memorySize: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly sourceMaps: boolean;
  readonly failedAlarm: boolean;
  readonly metrics: MetricsByJob;
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
  dst: { gap: 'skip' },
  startGrace: Duration.minutes(1),
  lease: 'invocation',
  onTimeout: 'retry',
  pausable: false,
  continuation: 'manual',
  maxSegments: 20,
  expectedDuration: undefined,
  minimumDuration: undefined,
  enabled: true,
  memorySize: 256,
  environment: {},
  sourceMaps: true,
  failedAlarm: false,
  metrics: 'failures',
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
      pausable: layer.pausable ?? below.pausable,
      continuation: layer.continuation ?? below.continuation,
      maxSegments: layer.maxSegments ?? below.maxSegments,
      expectedDuration: layer.expectedDuration ?? below.expectedDuration,
      minimumDuration: layer.minimumDuration ?? below.minimumDuration,
      enabled: layer.enabled ?? below.enabled,
      memorySize: layer.memorySize ?? below.memorySize,
      environment: { ...below.environment, ...layer.environment },
      sourceMaps: layer.sourceMaps ?? below.sourceMaps,
      failedAlarm: layer.failedAlarm ?? below.failedAlarm,
      metrics: layer.metrics ?? below.metrics,
    }),
    DEFAULTS,
  );
}
