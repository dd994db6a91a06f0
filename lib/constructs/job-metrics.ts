import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';

/** What the runtime and the watchdog count, by the minute. */
export type JobMetric =
  | 'Succeeded'
  /** Runs that failed in their last attempt. */
  | 'Failed'
  /** Attempts that failed with another one to follow. */
  | 'Retried'
  | 'TimedOut'
  | 'Missed'
  /** Runs that began after startGrace. */
  | 'LateStart'
  /** Occurrences without a success by scheduledTime + expectedDuration + 5 minutes. */
  | 'Overdue'
  /** Runs that succeeded in less than minimumDuration. */
  | 'TooFast'
  /** Runs that take more than twice their usual time. */
  | 'Slow'
  /** Runs that said the same of their progress for five minutes. */
  | 'Stuck'
  /** Runs at instants at which the job was not due. */
  | 'TooOften'
  /** Late writes of an attempt that had lost its run. */
  | 'Fenced'
  /** Milliseconds that attempts took. */
  | 'Duration'
  /** Milliseconds from the scheduled time to the start. */
  | 'Lateness';

/** What the watchdog says of itself. */
export type WatchdogMetric = 'WatchdogHeartbeat' | 'SweepFailures' | 'SweepDuration';

const AVERAGED: readonly string[] = ['Duration', 'Lateness', 'SweepDuration'];

/** A metric of one environment, or of one job in it. Counts are summed, durations averaged, over five minutes. */
export function belfryMetric(
  metricName: JobMetric | WatchdogMetric,
  of: { readonly environment: string; readonly job?: string },
  options: MetricOptions = {},
): Metric {
  return new Metric({
    namespace: 'Belfry',
    metricName,
    dimensionsMap: { Environment: of.environment, ...(of.job === undefined ? {} : { Job: of.job }) },
    statistic: AVERAGED.includes(metricName) ? 'Average' : 'Sum',
    period: Duration.minutes(5),
    ...options,
  });
}
