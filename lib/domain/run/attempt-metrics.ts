import type { MetricValue } from '../contract/metrics.ts';
import type { RunStatus } from './run-record.ts';

export interface AttemptEnd {
  readonly status: RunStatus;
  readonly cause?: string | undefined;
  readonly attempt: number;
  readonly durationMs: number;
  readonly latenessMs: number;
  /** The job has all its metrics by job. */
  readonly isDetailed: boolean;
}

/**
 * The metrics of an attempt that ended. The scheduler has all of them. By job there are failures alone, so that a job whose
 * runs succeed costs no metric; `detailed` has all of them by job as well.
 */
export function attemptMetrics({
  status,
  cause,
  attempt,
  durationMs,
  latenessMs,
  isDetailed,
}: AttemptEnd): MetricValue[] {
  const usual = isDetailed ? 'both' : 'scheduler';
  const isFailed = status === 'failed' && cause !== 'cancelled';
  return [
    ...(status === 'succeeded' ? [{ name: 'Succeeded', value: 1, under: usual } as const] : []),
    // Told with each attempt, so that its average is the rate of failures.
    { name: 'Failed', value: isFailed ? 1 : 0, under: isFailed ? 'both' : usual },
    ...(status === 'pending' ? [{ name: 'Retried', value: 1, under: usual } as const] : []),
    ...(status === 'timedOut' ? [{ name: 'TimedOut', value: 1, under: 'both' } as const] : []),
    { name: 'Duration', value: durationMs, unit: 'Milliseconds', under: usual },
    // How late a run began is told once: by its first attempt.
    ...(attempt > 1 ? [] : [{ name: 'Lateness', value: latenessMs, unit: 'Milliseconds', under: usual } as const]),
  ];
}
