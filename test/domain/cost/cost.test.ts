import { describe, expect, test } from 'vitest';
import { billOf } from '../../../lib/domain/cost/bill.ts';
import { estimateCost } from '../../../lib/domain/cost/estimate.ts';
import {
  occurrencesAMonth,
  type PricedJob,
  type PricedScheduler,
  USUAL_ASSUMPTIONS,
  WITHOUT_HANDLERS,
} from '../../../lib/domain/cost/monthly-usage.ts';
import { PRICES, usdOf } from '../../../lib/domain/cost/price-table.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';

const FROM = Date.parse('2026-06-01T00:00:00Z');
const scheduler: PricedScheduler = {
  alarms: 7,
  dashboards: 1,
  kmsKeys: 0,
  logRetentionDays: 90,
  lifecycleEvents: false,
  backup: true,
};
const hourly = (name: string, more: Partial<PricedJob> = {}): PricedJob => ({
  name,
  runsAMonth: 730,
  overlap: 'skip',
  maxAttempts: 3,
  memoryMiB: 256,
  metrics: 'failures',
  alarms: 0,
  ...more,
});

describe('prices', () => {
  test('of every line a source is known', () => {
    for (const { source } of Object.values(PRICES)) expect(source).toMatch(/^https:\/\/aws\.amazon\.com\//);
  });

  test.each([
    [100, 30],
    [10_000, 3_000],
    [15_000, 3_500],
    [260_000, 3_000 + 24_000 + 500],
    [1_000_001, 3_000 + 24_000 + 37_500 + 0.02],
  ])('%i custom metrics cost what their tiers say', (quantity, usd) => {
    expect(usdOf('customMetrics', quantity)).toBeCloseTo(usd, 6);
  });
});

describe('a bill', () => {
  test('has a line for what is used, and its sum', () => {
    const { lines, usd } = billOf({ writeUnits: 2_000_000, alarms: 7, dashboards: 0 });
    expect(lines.map(({ item, usd }) => [item, Number(usd.toFixed(6))])).toEqual([
      ['writeUnits', 1.25],
      ['alarms', 0.7],
    ]);
    expect(usd).toBeCloseTo(1.95, 6);
  });

  test('of the whole is the sum of its jobs and of what is fixed, also where tiers make the last metric cheaper', () => {
    const jobs = Array.from({ length: 5_000 }, (_, index) => hourly(`job-${index}`, { metrics: 'detailed' }));
    const { bill, jobs: byJob, fixedUsd } = estimateCost(jobs, scheduler, USUAL_ASSUMPTIONS);
    expect(byJob.reduce((sum, { usd }) => sum + usd, fixedUsd)).toBeCloseTo(bill.usd, 6);
  });
});

describe('what a job uses', () => {
  test.each([
    ['@hourly', 730],
    ['* * * * *', 43_800],
    ['@daily', 365 / 12],
    ['0 8 * * 1-5', 21.7],
    ['@monthly', 1],
    ['@yearly', 1 / 12],
  ])('%s is due %d times a month', (expression, times) => {
    const found = occurrencesAMonth(parseSchedule(expression, { timeZone: 'Europe/London' }), FROM);
    expect(found / times).toBeCloseTo(1, 1);
  });

  test('events that are refused cost their invocations, and keep a process warm', () => {
    const every = (minutes: number, refusedAMonth?: number) => {
      const runsAMonth = 43_800 / minutes;
      const job = hourly('every', { runsAMonth, ...(refusedAMonth === undefined ? {} : { refusedAMonth }) });
      return estimateCost([job], scheduler, USUAL_ASSUMPTIONS).jobs[0]?.usd ?? 0;
    };
    // Every 7 minutes: 37,543 events are refused.
    const invocations = usdOf('schedulerInvocations', 37_543) + usdOf('lambdaRequests', 37_543);
    expect(every(7, 37_543) - every(7)).toBeGreaterThan(invocations);
    expect(every(7, 37_543) - every(7)).toBeLessThan(2 * invocations);
    // Every 5 hours: a process starts cold for each of 584 events.
    expect(every(300, 584) - every(300)).toBeLessThan(0.002);
    // Every 61 minutes: without the minutes in between each of the 718 runs would start cold.
    expect(every(61, 43_082)).toBeLessThan(every(61) + 2 * usdOf('schedulerInvocations', 43_082));
  });

  test('healthy jobs cost no custom metric; detailed ones do', () => {
    const healthy = { ...WITHOUT_HANDLERS, failingShare: 0 };
    const metrics = (job: PricedJob) =>
      estimateCost([job], scheduler, healthy).bill.lines.find(({ item }) => item === 'customMetrics')?.quantity;
    expect(metrics(hourly('detailed', { metrics: 'detailed' }))).toBe((metrics(hourly('plain')) ?? 0) + 4);
  });
});
