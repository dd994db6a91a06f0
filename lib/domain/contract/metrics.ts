import type { MetricsByJob } from '../job.ts';

/** Where CloudWatch keeps all metrics of Belfry. */
export const METRIC_NAMESPACE = 'Belfry';

/** Names of the dimensions: the scheduler's prefix, and the job's name. Two apps may both have an environment `prod`. */
export const SCHEDULER_DIMENSION = 'Scheduler';
export const JOB_DIMENSION = 'Job';

/** What the runtime and the watchdog count, by the minute. */
export const JOB_METRICS = [
  'Succeeded',
  /** Runs that failed in their last attempt. */
  'Failed',
  /** Attempts that failed with another one to follow. */
  'Retried',
  'TimedOut',
  /** Occurrences that do not start any more. */
  'Missed',
  /** Occurrences that had not begun by scheduledTime + startGrace + 1 minute, and begin later. */
  'Late',
  /** A gauge: jobs without a success by scheduledTime + expectedDuration + 5 minutes, in each sweep while it is so. */
  'Overdue',
  /** Runs that succeeded in less than minimumDuration. */
  'TooFast',
  /** Runs that take more than twice their usual time. */
  'Slow',
  /** Runs that said the same of their progress for five minutes. */
  'Stuck',
  /** Runs at instants at which the job was not due. */
  'TooOften',
  /** Late writes of an attempt that had lost its run. */
  'Fenced',
  /** Milliseconds that attempts took. */
  'Duration',
  /** Milliseconds from the scheduled time to the start. */
  'Lateness',
] as const;
export type JobMetric = (typeof JOB_METRICS)[number];

/** These are data of every run. The others are told only when there is something to tell. */
const OF_EVERY_RUN: readonly JobMetric[] = ['Succeeded', 'Retried', 'Fenced', 'Duration', 'Lateness'];

/** Whether a job with this choice of metrics tells this one under its own name. */
export function isToldByJob(name: JobMetric, byJob: MetricsByJob): boolean {
  if (byJob === 'failures') return !OF_EVERY_RUN.includes(name);
  return byJob === 'detailed';
}

/** What the watchdog says of itself. */
export const WATCHDOG_METRICS = [
  'WatchdogHeartbeat',
  /** Actions that failed, and are tried again. */
  'SweepFailures',
  /** Messages to people that could not be sent, and are sent again. */
  'Untold',
] as const;
export type WatchdogMetric = (typeof WATCHDOG_METRICS)[number];

export interface MetricValue {
  readonly name: string;
  /** A list: each of its at most 100 values counts. */
  readonly value: number | readonly number[];
  /** As CloudWatch spells it. Default: Count */
  readonly unit?: string;
  /**
   * Under which dimensions it is told: the scheduler's alone, the scheduler's and the job's together, or once under each.
   * Each pair of a name and its dimensions is billed as one metric, in each hour in which it gets data.
   */
  readonly under: 'scheduler' | 'job' | 'both';
}
