import {
  JOB_DIMENSION,
  METRIC_NAMESPACE,
  type MetricValue,
  SCHEDULER_DIMENSION,
} from '../../domain/contract/metrics.ts';

/** CloudWatch's embedded metric format: a log line from which CloudWatch takes metrics. */
export interface EmfReport {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The scheduler's prefix. */
  readonly scheduler: string;
  /** Left out, no metric is told by job. */
  readonly job?: string;
  /** At most 100. */
  readonly metrics: readonly MetricValue[];
}

/** One line with a directive for the scheduler's dimension and one for the job's, each where it has metrics. */
export function emfLine({ at, scheduler, job, metrics }: EmfReport): string {
  const ofScheduler = metrics.filter(({ under }) => under !== 'job');
  const ofJob = job === undefined ? [] : metrics.filter(({ under }) => under !== 'scheduler');
  return JSON.stringify({
    _aws: {
      Timestamp: at,
      CloudWatchMetrics: [
        ...directive([SCHEDULER_DIMENSION], ofScheduler),
        ...directive([SCHEDULER_DIMENSION, JOB_DIMENSION], ofJob),
      ],
    },
    [SCHEDULER_DIMENSION]: scheduler,
    [JOB_DIMENSION]: job,
    ...Object.fromEntries(metrics.map(({ name, value }) => [name, value])),
  });
}

function directive(dimensions: readonly string[], metrics: readonly MetricValue[]) {
  if (metrics.length === 0) return [];
  const Metrics = metrics.map(({ name: Name, unit: Unit = 'Count' }) => ({ Name, Unit }));
  return [{ Namespace: METRIC_NAMESPACE, Dimensions: [dimensions], Metrics }];
}
