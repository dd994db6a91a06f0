import { isToldByJob, type JobMetric, type MetricValue } from '../contract/metrics.ts';
import type { MetricsByJob } from '../job.ts';
import type { RunStatus } from './run-record.ts';

export interface AttemptEnd {
  readonly status: RunStatus;
  readonly cause?: string | undefined;
  readonly attempt: number;
  readonly durationMs: number;
  readonly latenessMs: number;
  readonly byJob: MetricsByJob;
}

/**
 * The metrics of an attempt that ended. The scheduler has all of them. By job there are usually failures alone, so that a job
 * whose runs succeed costs no metric.
 */
export function attemptMetrics({ status, cause, attempt, durationMs, latenessMs, byJob }: AttemptEnd): MetricValue[] {
  const usual = underOf('Succeeded', byJob);
  const failure = underOf('Failed', byJob);
  const isFailed = status === 'failed' && cause !== 'cancelled';
  return [
    ...(status === 'succeeded' ? [{ name: 'Succeeded', value: 1, under: usual } as const] : []),
    // Told with each attempt, so that its average is the rate of failures.
    { name: 'Failed', value: isFailed ? 1 : 0, under: isFailed ? failure : usual },
    ...(status === 'pending' ? [{ name: 'Retried', value: 1, under: usual } as const] : []),
    ...(status === 'timedOut' ? [{ name: 'TimedOut', value: 1, under: failure } as const] : []),
    { name: 'Duration', value: durationMs, unit: 'Milliseconds', under: usual },
    // How late a run began is told once: by its first attempt.
    ...(attempt > 1 ? [] : [{ name: 'Lateness', value: latenessMs, unit: 'Milliseconds', under: usual } as const]),
  ];
}

/** Where a count of this metric, or a duration, is told of a job with this choice of metrics. */
function underOf(name: JobMetric, byJob: MetricsByJob): MetricValue['under'] {
  return isToldByJob(name, byJob) ? 'both' : 'scheduler';
}
