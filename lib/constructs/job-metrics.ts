import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import {
  JOB_DIMENSION,
  type JobMetric,
  METRIC_NAMESPACE,
  SCHEDULER_DIMENSION,
  type WatchdogMetric,
} from '../domain/contract/metrics.ts';

const AVERAGED: readonly string[] = ['Duration', 'Lateness'];

/** A metric of one scheduler, or of one job in it. Counts are summed, durations averaged, over five minutes. */
export function belfryMetric(
  metricName: JobMetric | WatchdogMetric,
  of: { readonly scheduler: string; readonly job?: string },
  options: MetricOptions = {},
): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: {
      [SCHEDULER_DIMENSION]: of.scheduler,
      ...(of.job === undefined ? {} : { [JOB_DIMENSION]: of.job }),
    },
    statistic: AVERAGED.includes(metricName) ? 'Average' : 'Sum',
    period: Duration.minutes(5),
    ...options,
  });
}
