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
  /** Late writes of an attempt that had lost its run. */
  | 'Fenced'
  /** Milliseconds that attempts took. */
  | 'Duration'
  /** Milliseconds from the scheduled time to the start. */
  | 'Lateness';

const AVERAGED: readonly JobMetric[] = ['Duration', 'Lateness'];

/** A metric of one environment, or of one job in it. Counts are summed, durations averaged, over five minutes. */
export function belfryMetric(
  metricName: JobMetric | 'WatchdogHeartbeat',
  of: { readonly environment: string; readonly job?: string },
  options: MetricOptions = {},
): Metric {
  return new Metric({
    namespace: 'Belfry',
    metricName,
    dimensionsMap: { Environment: of.environment, ...(of.job === undefined ? {} : { Job: of.job }) },
    statistic: AVERAGED.some((name) => name === metricName) ? 'Average' : 'Sum',
    period: Duration.minutes(5),
    ...options,
  });
}
