import { describe, expect, test } from 'vitest';
import type { JobHandler } from '../../lambdas/runtime/index.ts';
import { testJob } from '../../lambdas/runtime/testing/index.ts';
import { METRIC_UNITS } from '../../lib/domain/run/custom-metric.ts';
import { type MetricDatum, readEmbeddedMetrics } from '../../lib/local/alarms/embedded-metrics.ts';

const scheduledTime = '2026-11-02T13:00:00Z';

/** What CloudWatch would take from what a run printed. */
async function metricsOf(handler: JobHandler) {
  const { lines, run } = await testJob(handler, { scheduledTime });
  const data = lines.flatMap((line) => [...readEmbeddedMetrics(line)]);
  const unreadable = lines.filter((line) => '_aws' in line && readEmbeddedMetrics(line).length === 0);
  return { lines, run, data, unreadable };
}

function valuesOf(data: readonly MetricDatum[], name: string): number[] {
  return data.filter((one) => one.name === name).map(({ value }) => value);
}

/** As a handler without types would call it. */
const untyped = (run: Parameters<JobHandler>[0]) => run.metrics as { add(...parts: readonly unknown[]): void };

describe('metrics of the handler', () => {
  test('belong to the job', async () => {
    const { data } = await metricsOf((run) => run.metrics.add('Invoices', 3));
    expect(data.filter(({ name }) => name === 'Invoices')).toEqual([
      expect.objectContaining({ value: 3, dimensions: expect.objectContaining({ Job: 'job-under-test' }) }),
    ]);
  });

  test('counts of one name are added up', async () => {
    const { data } = await metricsOf((run) => {
      for (const count of [2, 3, 5]) run.metrics.add('Invoices', count);
    });
    expect(valuesOf(data, 'Invoices')).toEqual([10]);
  });

  test('of another unit all values are kept, so that averages and percentiles are right', async () => {
    const { data } = await metricsOf((run) => {
      for (const ms of [20, 30, 50]) run.metrics.add('Answer', ms, 'Milliseconds');
    });
    expect(valuesOf(data, 'Answer')).toEqual([20, 30, 50]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 361, '7', undefined, 5n])(
    'a value of %s takes nothing from the run, and is told of',
    async (value) => {
      const { data, unreadable, lines, run } = await metricsOf((job) => {
        untyped(job).add('Share', value, 'Percent');
        job.metrics.add('Share', 50, 'Percent');
        throw new TypeError('broken');
      });
      expect(run.status).toBe('failed');
      expect(unreadable).toEqual([]);
      expect(new Set(valuesOf(data, 'Failed'))).toEqual(new Set([1]));
      expect(valuesOf(data, 'Share')).toEqual([50]);
      expect(lines).toContainEqual(
        expect.objectContaining({
          event: 'metricsDropped',
          level: 'warn',
          job: 'job-under-test',
          dropped: { Share: 1 },
        }),
      );
    },
  );

  test.each(['Job', 'Scheduler', '_aws', 'Failed', 'Duration', 'Missed', '', 'x'.repeat(256), 'naïve', ' ', 7])(
    'the name %j is refused where it is added',
    async (name) => {
      const { run, data, unreadable } = await metricsOf((job) => untyped(job).add(name, 1));
      expect(run.error).toMatch(/^IllegalMetric: job 'job-under-test' adds metric /);
      expect(unreadable).toEqual([]);
      expect(valuesOf(data, 'Failed')).toContain(1);
    },
  );

  test.each(['ms', 'count', 'Bytes/second', 3])('the unit %j is refused where it is added', async (unit) => {
    const { run } = await metricsOf((job) => untyped(job).add('Rows', 1, unit));
    expect(run.error).toMatch(/^IllegalMetric: /);
  });

  test('one name has one unit', async () => {
    const { run } = await metricsOf((job) => {
      job.metrics.add('Rows', 1);
      job.metrics.add('Rows', 1, 'Bytes');
    });
    expect(run.error).toMatch(/^IllegalMetric: .*'Rows'.*Count/);
  });

  test('every unit of CloudWatch passes', async () => {
    const { data, run } = await metricsOf((job) => {
      for (const unit of METRIC_UNITS) untyped(job).add(`In ${unit}`, 1, unit);
    });
    expect(run.status).toBe('succeeded');
    expect(data.filter(({ name }) => name.startsWith('In '))).toHaveLength(METRIC_UNITS.length);
  });

  test('more than one line holds are told in several, each within the limits', async () => {
    const { data, unreadable } = await metricsOf((job) => {
      for (let name = 0; name < 250; name++) job.metrics.add(`Metric${name}`, 1);
      for (let value = 0; value < 250; value++) job.metrics.add('Answer', value, 'Milliseconds');
    });
    expect(unreadable).toEqual([]);
    expect(data.filter(({ name }) => name.startsWith('Metric'))).toHaveLength(250);
    expect(valuesOf(data, 'Answer')).toHaveLength(250);
  });

  test('a loop that adds without end is told of, and costs no memory', async () => {
    const { data, lines, run } = await metricsOf((job) => {
      for (let value = 0; value < 10_500; value++) job.metrics.add('Answer', value, 'Milliseconds');
      for (let name = 0; name < 1_100; name++) job.metrics.add(`Customer${name}`, 1);
    });
    expect(run.status).toBe('succeeded');
    expect(valuesOf(data, 'Answer')).toHaveLength(10_000);
    const dropped = lines.find(({ event }) => event === 'metricsDropped')?.dropped as Record<string, number>;
    expect(dropped.Answer).toBe(500);
    expect(new Set(data.filter(({ name }) => name.startsWith('Customer')).map(({ name }) => name)).size).toBe(999);
  });

  test('are kept of an attempt that goes on in another invocation', async () => {
    const { data } = await metricsOf((run) => {
      run.metrics.add('Rows', 5);
      if (run.state === undefined) return run.continueLater('more');
      return undefined;
    });
    expect(valuesOf(data, 'Rows')).toEqual([5, 5]);
  });
});
