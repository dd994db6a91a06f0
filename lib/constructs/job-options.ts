import { Duration } from 'aws-cdk-lib/core';
import type { Backoff, CatchUpPolicy, DstPolicy, JobDefinition, MetricsByJob, OverlapPolicy } from '../domain/job.ts';

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
   * so that jobs which failed together do not come back together. `fixed` and `linear` keep on at what is down for long;
   * `exponential` may wait minutes for what was gone for a second.
   *
   * @default 'exponential'
   */
  readonly backoff?: Backoff;
  /**
   * Delay before the second attempt. Short, and it meets the same fault; long, and the run is late for a fault that had
   * passed. What is too long for the invocation is waited for outside of it, and not billed.
   *
   * @default Duration.seconds(10)
   */
  readonly initialDelay?: Duration;
  /**
   * Longest delay between two attempts. Short, and what is down for hours sees all attempts at once; long, and a run that
   * could succeed waits, and with overlap `skip` keeps later ones from starting.
   *
   * @default Duration.minutes(30)
   */
  readonly maxDelay?: Duration;
}

export interface CatchUpOptions {
  /**
   * Which occurrences that did not start in time start late: `none`, only the `latest`, or `all` of the newest `maxRuns`.
   * What is not started is recorded as missed. `none` loses work that only this occurrence does; `all` does again what the
   * newest would have done for all of them.
   *
   * @default 'latest'
   */
  readonly policy?: CatchUpPolicy['policy'];
  /**
   * An occurrence older than this is given up. Short, and an outage that lasts longer loses it; long, and a job meant for
   * the night may run at noon.
   *
   * @default Duration.hours(1)
   */
  readonly maxAge?: Duration;
  /**
   * How many start late at most; with `latest`, one. Few, and older occurrences are recorded as missed; many, and what an
   * outage of a day left behind is all run at once.
   *
   * @default 1
   */
  readonly maxRuns?: number;
  /**
   * A late start does more harm than none: whatever the policy says, nothing starts late. Left false, a job like "close
   * the shop" may do so in the morning; true without need, what was missed stays undone.
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
  /**
   * What happens when an attempt fails. The handler is called again: what it did before it failed, it may do twice.
   *
   * @default { maxAttempts: 3, backoff: 'exponential', initialDelay: Duration.seconds(10), maxDelay: Duration.minutes(30) }
   */
  readonly retry?: RetryOptions;
  /**
   * What happens when an occurrence is due while the run before it is still going. `skip` records the new one as skipped:
   * its work is not done. `bufferOne` lets the newest wait: it starts late. `cancelOther` stops the old one, which may never
   * get done when every run is slow. `allow` runs both at a time, which the handler must bear. The first three cost a
   * write more.
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
   * What happens to a wall time that the clock jumps over (`gap`) or shows twice (`fold`). With `skip`, a daily job does not
   * run on one day of the year; with `runAfter` it may run at a time that the job did not name. With `first` or `second`
   * an hourly job is silent for two hours once a year; with `both` a daily one may run twice in one day.
   *
   * Without a `fold`, a fixed hour happens once, on the first pass, and a schedule whose hour field starts with `*` keeps its
   * pace through both passes: nobody wants an hourly job silent for two hours.
   *
   * @default - gap: 'skip'; fold: 'first' for a fixed hour, 'both' for an hour field that starts with `*`
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
   * overlap its successor. With `invocation` a crash in the first second is noticed when the timeout is over.
   *
   * @default 'invocation'
   */
  readonly lease?: NonNullable<JobDefinition['lease']>;
  /**
   * What follows when an attempt reaches its deadline. `retry`: the next attempt. `fail`: the run ends as timed out.
   * `hold`: the run ends, and the job pauses until a person has looked. `retry` does again what may have been done in part;
   * `fail` leaves it undone; `hold` lets a whole job stand still over one run.
   *
   * @default 'retry'
   */
  readonly onTimeout?: NonNullable<JobDefinition['onTimeout']>;
  /**
   * With overlap `allow`: whether the job can be paused. Its runs then look at the job's item before they start, which is
   * one request and one read unit more for each. Without it `belfry pause` refuses the job, and only a deployment with
   * `enabled: false` stops it. Jobs with another overlap, or that may be put on hold, can always be paused.
   *
   * @default false
   */
  readonly pausable?: boolean;
  /**
   * `auto`: near the deadline the run ends its invocation at a step and goes on in a fresh one. `manual`: only where the
   * handler says `run.continueLater`. With `manual`, work that outgrew the timeout fails; with `auto`, work that never ends
   * goes on for `maxSegments` invocations, all of them billed.
   *
   * @default 'manual'
   */
  readonly continuation?: NonNullable<JobDefinition['continuation']>;
  /**
   * Most invocations that one attempt may go on for, the first one included. Few, and long work is cut off; many, and a
   * loop that makes no progress is billed for as long.
   *
   * @default 20
   */
  readonly maxSegments?: number;
  /**
   * How long a run usually takes. A success that is not there by the scheduled time, this and five minutes is overdue, and
   * pages. Short, and slow days wake somebody; long or left out, and a run that hangs is noticed late.
   *
   * @default - not known
   */
  readonly expectedDuration?: Duration;
  /**
   * A run that succeeds in less cannot have done its work, and is reported. Long, and days with little to do are reported;
   * short or left out, and a job that finds nothing to do any more succeeds unseen.
   *
   * @default - any success is one
   */
  readonly minimumDuration?: Duration;
  /**
   * Whether the schedules fire. A disabled job keeps its function, so that it can still be triggered by hand; nobody waits
   * for its occurrences, so that nothing says that it is off. Enabled where its data are not meant for it, it does harm: an
   * environment can say false.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Memory of the function in MiB, from 128 to 10,240; its share of the processor grows with it. Little, and it is slow, or
   * killed at the limit; much, and what it does not use is billed.
   *
   * @default 256
   */
  readonly memorySize?: number;
  /**
   * Further environment variables of the function. Names that start with `BELFRY_`, `AWS_` or `LAMBDA_` are taken. Whoever
   * may look at the function can read them: a secret belongs into Secrets Manager, and its name here.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Whether stacks of errors name file and line of the sources, as they do locally. The source map of the project's own
   * modules is deployed beside the code, without their text, and Node is started with `--enable-source-maps`, which costs
   * each cold start a few milliseconds. Without, stacks name columns of minified code. An `image` and a `function` that
   * exists decide for themselves.
   *
   * @default true
   */
  readonly sourceMaps?: boolean;
  /**
   * An alarm of the job's own when a run finally fails, beside the one for all jobs. Alarms are billed each, about 0.10 USD
   * a month; without it, who looks after the job learns of its failures with those of all others.
   *
   * @default false
   */
  readonly failedAlarm?: boolean;
  /**
   * Which of its metrics a job has in CloudWatch under its own name; the scheduler always has all metrics of all jobs
   * together. `failures`: failures and misses, told when they happen, so that a job that runs well costs nothing.
   * `detailed`: successes, durations and lateness as well, about 1.20 USD a month for each job. `scheduler`: none, which
   * no alarm of the job's own can be made from. Of 10,000 hourly jobs `failures` costs about 15 USD a month where one run of
   * 200 fails.
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
