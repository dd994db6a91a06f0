import { MathExpression, Metric, SingleValueWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { billOf } from '../domain/cost/bill.ts';
import { PER_RUN } from '../domain/cost/counted.ts';
import {
  HOURS_A_MONTH,
  jobUsage,
  type PricedScheduler,
  schedulerUsage,
  USUAL_ASSUMPTIONS,
} from '../domain/cost/monthly-usage.ts';
import { PRICES_DATE, PRICES_REGION, usdOf } from '../domain/cost/price-table.ts';
import { belfryMetric } from './job-metrics.ts';
import type { JobScheduler } from './job-scheduler.ts';

const DAYS_A_MONTH = HOURS_A_MONTH / 24;
const RECORDS_KEPT_DAYS = 90;
const LOGS_KEPT_DAYS = 90;
const USUAL_MEMORY_MIB = 256;

/** What is used in a period: by the jobs, by their table, in total for the scheduler. */
export function usageMetrics({ prefix, scheduleGroupName, table }: JobScheduler, period: Duration) {
  const ofTable = (metricName: string, label: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName },
      statistic: 'Sum',
      period,
      label,
    });
  const ofScheduler = { scheduler: prefix };
  return {
    firings: new Metric({
      namespace: 'AWS/Scheduler',
      metricName: 'InvocationAttemptCount',
      dimensionsMap: { ScheduleGroup: scheduleGroupName },
      statistic: 'Sum',
      period,
      label: 'firings',
    }),
    attempts: belfryMetric('Duration', ofScheduler, { period, statistic: 'SampleCount', label: 'attempts' }),
    durations: belfryMetric('Duration', ofScheduler, { period, statistic: 'Sum', label: 'milliseconds' }),
    failures: belfryMetric('Failed', ofScheduler, { period, label: 'failures' }),
    writes: ofTable('ConsumedWriteCapacityUnits', 'write units'),
    reads: ofTable('ConsumedReadCapacityUnits', 'read units'),
  };
}

/** A month's bill, line by line, if every day were as the last one. */
export function monthlyCosts(scheduler: JobScheduler, alarms: number): SingleValueWidget {
  const period = Duration.days(1);
  const usingMetrics = usageMetrics(scheduler, period);
  const lines = linesOf(scheduler, alarms);
  const value = (label: string, expression: string) => new MathExpression({ expression, usingMetrics, label, period });
  return new SingleValueWidget({
    title: `USD a month, were every day as the last: ${PRICES_REGION} list prices of ${PRICES_DATE}, functions of ${USUAL_MEMORY_MIB} MiB`,
    metrics: [
      value('all', lines.map(([, expression]) => `(${expression})`).join('+')),
      ...lines.map(([label, expression]) => value(label, expression)),
    ],
    width: 24,
    height: 4,
  });
}

function linesOf(scheduler: JobScheduler, alarms: number): readonly (readonly [string, string])[] {
  const gbSecond = usdOf('lambdaGbSeconds', USUAL_MEMORY_MIB / 1_024);
  const beside = PER_RUN.seconds + USUAL_ASSUMPTIONS.initSeconds;
  const storedGb = (PER_RUN.storedBytes * RECORDS_KEPT_DAYS) / 1e9;
  const parts = partsOf(scheduler, alarms);
  const failuresByJob = scheduler.jobs.some(({ options }) => options.metrics !== 'scheduler');
  return [
    ['invocations', times('firings', usdOf('schedulerInvocations', 1) + usdOf('lambdaRequests', 1))],
    ['running time', `${times('durations', gbSecond / 1_000)}+${times('attempts', gbSecond * beside)}`],
    [
      'table',
      `${times('writes', usdOf('writeUnits', 1))}+${times('reads', usdOf('readUnits', 1))}+FILL(attempts,0)*${plain(usdOf('tableGbMonths', storedGb))}`,
    ],
    ['logs of Belfry and Lambda', times('attempts', logUsdOfRun(parts))],
    ...(failuresByJob
      ? [['failures by job', times('failures', usdOf('customMetrics', 1) / HOURS_A_MONTH)] as const]
      : []),
    ['watchdog, metrics, alarms, dashboard', `FILL(firings,0)*0+${plain(fixedUsd(scheduler, parts))}`],
  ];
}

/** What is paid for however many runs there are. */
function fixedUsd({ jobs }: JobScheduler, parts: PricedScheduler): number {
  const detailed = jobs.filter(({ options }) => options.metrics === 'detailed').length;
  const job = {
    name: '',
    runsAMonth: HOURS_A_MONTH,
    overlap: 'skip',
    maxAttempts: 1,
    memoryMiB: 0,
    alarms: 0,
  } as const;
  const { customMetrics = 0 } = jobUsage({ ...job, metrics: 'detailed' }, parts, USUAL_ASSUMPTIONS);
  const fixed = schedulerUsage(parts, 0);
  return billOf({ ...fixed, customMetrics: (fixed.customMetrics ?? 0) + detailed * customMetrics }).usd;
}

function logUsdOfRun(parts: PricedScheduler): number {
  const job = { name: '', runsAMonth: 1, overlap: 'skip', maxAttempts: 1, memoryMiB: 0, alarms: 0 } as const;
  const { logGbIngested = 0, logGbMonths = 0 } = jobUsage({ ...job, metrics: 'scheduler' }, parts, USUAL_ASSUMPTIONS);
  return billOf({ logGbIngested, logGbMonths }).usd;
}

function partsOf(scheduler: JobScheduler, alarms: number): PricedScheduler {
  return {
    alarms,
    dashboards: 1,
    kmsKeys: scheduler.encryptionKey === undefined ? 0 : 1,
    logRetentionDays: LOGS_KEPT_DAYS,
    lifecycleEvents: false,
    backup: false,
  };
}

function times(metric: string, usd: number): string {
  return `FILL(${metric},0)*${plain(usd * DAYS_A_MONTH)}`;
}

/** Metric math reads plain decimals only. */
function plain(value: number): string {
  return value.toFixed(15).replace(/\.?0+$/, '');
}
