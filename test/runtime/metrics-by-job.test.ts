import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { describe, expect, test } from 'vitest';
import type { JobHandler } from '../../lambdas/runtime/index.ts';
import { testJob } from '../../lambdas/runtime/testing/index.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { attemptMetrics } from '../../lib/domain/run/attempt-metrics.ts';
import { METRIC_UNITS } from '../../lib/domain/run/custom-metric.ts';
import { type MetricDatum, readEmbeddedMetrics } from '../../lib/local/alarms/embedded-metrics.ts';

const scheduledTime = '2026-11-02T13:00:00Z';

/** The metrics that CloudWatch would bill: each name under each set of dimensions. */
async function billed(handler: JobHandler, jobs: readonly Partial<JobDefinition>[]): Promise<readonly string[]> {
  const data: MetricDatum[] = [];
  for (const job of jobs) {
    const { lines } = await testJob(handler, { scheduledTime, job });
    data.push(...lines.flatMap(readEmbeddedMetrics));
  }
  return [...new Set(data.map(({ name, dimensions }) => [name, ...Object.values(dimensions).slice(1)].join(' of ')))];
}

const named = (count: number, more: Partial<JobDefinition> = {}) =>
  Array.from({ length: count }, (_, index) => ({ name: `job-${index}`, ...more }));
const OF_SCHEDULER = ['Succeeded', 'Failed', 'Duration', 'Lateness'];

describe('metrics by job', () => {
  test('a healthy hour of 1,000 jobs has as many metrics as one of a single job', async () => {
    expect(await billed(() => 'done', named(1_000))).toEqual(OF_SCHEDULER);
    expect(await billed(() => 'done', named(1))).toEqual(OF_SCHEDULER);
  });

  test('a job that fails has its failure by its name, and no more', async () => {
    const failing: JobHandler = (run) => {
      if (run.jobName === 'job-3') throw new TypeError('broken');
    };
    const retry = { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 1_000, maxDelayMs: 1_000 } as const;
    const found = await billed(failing, named(20, { retry }));
    expect(new Set(found)).toEqual(new Set([...OF_SCHEDULER, 'Retried', 'Failed of job-3']));
  });

  test('a job with metrics of the scheduler alone has none by its name, whatever happens', async () => {
    const failing: JobHandler = () => {
      throw new TypeError('broken');
    };
    expect(new Set(await billed(failing, named(3, { metrics: 'scheduler' })))).toEqual(
      new Set(['Failed', 'Duration', 'Lateness']),
    );
  });

  test('a run that timed out is told by its name', () => {
    const end = { attempt: 1, durationMs: 8_000, latenessMs: 50, byJob: 'failures' as const };
    const byJob = attemptMetrics({ ...end, status: 'timedOut' }).filter(({ under }) => under !== 'scheduler');
    expect(byJob).toEqual([{ name: 'TimedOut', value: 1, under: 'both' }]);
    expect(
      attemptMetrics({ ...end, status: 'failed', cause: 'cancelled' }).every(({ under }) => under === 'scheduler'),
    ).toBe(true);
  });

  test('a job with detailed metrics has all of them by its name as well', async () => {
    const [usual, detailed] = [named(1), named(1, { metrics: 'detailed' as const })];
    expect(await billed(() => 'done', usual)).toEqual(OF_SCHEDULER);
    expect(new Set(await billed(() => 'done', detailed))).toEqual(
      new Set([...OF_SCHEDULER, ...OF_SCHEDULER.map((name) => `${name} of job-0`)]),
    );
  });

  test('every attempt counts in the rate of failures of the scheduler', async () => {
    const { lines } = await testJob(
      ({ attempt }) => {
        if (attempt < 3) throw new TypeError('broken');
      },
      { scheduledTime, job: { retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 1, maxDelayMs: 1 } } },
    );
    const failed = lines.flatMap(readEmbeddedMetrics).filter(({ name }) => name === 'Failed');
    expect(failed.map(({ value }) => value)).toEqual([0, 0, 0]);
  });
});

test('the units are those that the CDK knows', () => {
  expect(new Set(METRIC_UNITS)).toEqual(new Set(Object.values(Unit)));
});
