import type { MetricsByJob, OverlapPolicy } from '../job.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { Usage } from './bill.ts';
import {
  DETAILED_METRICS,
  PER_FURTHER_ATTEMPT,
  PER_REFUSAL,
  PER_RUN,
  PER_SWEEP,
  SCHEDULER_METRICS,
} from './counted.ts';

export const HOURS_A_MONTH = 730;
const DAYS_A_MONTH = HOURS_A_MONTH / 24;
const MINUTES_A_MONTH = HOURS_A_MONTH * 60;
const DAY_MS = 86_400_000;
const GB = 1_000_000_000;
const MIB_A_GB = 1_024;
/** What CloudWatch's compression leaves of a log. */
const COMPRESSED = 0.15;
/** Lambda may drop a process that was idle for so long. Nothing promises it; it is what people see. */
const WARM_MINUTES = 10;
const RECORD_KEPT_DAYS = 90;

/** What a bill depends on and no declaration says. */
export interface CostAssumptions {
  /** Billed time of one attempt's handler. */
  readonly handlerSeconds: number;
  /** Billed initialisation of a process that starts cold. */
  readonly initSeconds: number;
  /** The share of the runs that fail in all their attempts. */
  readonly failingShare: number;
  /** Bytes that the handler itself logs in an attempt. */
  readonly handlerLogBytes: number;
}

export const USUAL_ASSUMPTIONS: CostAssumptions = {
  handlerSeconds: 1,
  initSeconds: 0.4,
  failingShare: 0.005,
  handlerLogBytes: 0,
};

/** What Belfry adds, whatever the handlers do. */
export const WITHOUT_HANDLERS: CostAssumptions = { ...USUAL_ASSUMPTIONS, handlerSeconds: 0, initSeconds: 0 };

export interface PricedJob {
  readonly name: string;
  readonly runsAMonth: number;
  /** Events that the function refuses because nothing is due: a schedule may fire more often than its job. */
  readonly refusedAMonth?: number;
  readonly overlap: OverlapPolicy;
  readonly pausable?: boolean;
  /** Attempts of a run that fails. */
  readonly maxAttempts: number;
  readonly memoryMiB: number;
  readonly metrics: MetricsByJob;
  /** Alarms of the job's own. */
  readonly alarms: number;
}

/** What is paid for however many jobs there are. */
export interface PricedScheduler {
  /** Alarms of the scheduler, those of single jobs left aside. */
  readonly alarms: number;
  readonly dashboards: number;
  readonly kmsKeys: number;
  readonly logRetentionDays: number;
  /** An event on a bus for each change of a run. */
  readonly lifecycleEvents: boolean;
  /** The table has point-in-time recovery. */
  readonly backup: boolean;
}

/** How many occurrences of a schedule a month of 730 hours has, on average over the time after `from`. */
export function occurrencesAMonth(schedule: Schedule, from: number): number {
  const inDays = (days: number) => {
    let count = 0;
    for (const _ of schedule.between(from, from + days * DAY_MS)) count++;
    return (count * DAYS_A_MONTH) / days;
  };
  // Four weeks say it of what is due often; what is due rarely needs the year.
  const often = inDays(28);
  return often > 25 ? often : inDays(365);
}

/** What one job uses in a month. */
export function jobUsage(job: PricedJob, scheduler: PricedScheduler, assumptions: CostAssumptions): Usage {
  const { runsAMonth: runs, refusedAMonth: refused = 0, overlap, pausable = false, maxAttempts, memoryMiB } = job;
  const { failingShare, handlerSeconds, initSeconds, handlerLogBytes } = assumptions;
  const failing = runs * failingShare;
  const further = failing * (maxAttempts - 1);
  const isCold = runs + refused < MINUTES_A_MONTH / WARM_MINUTES;
  const hasTurn = overlap !== 'allow';
  const coldSeconds = isCold ? initSeconds : 0;
  const seconds =
    runs * (PER_RUN.seconds + handlerSeconds + coldSeconds) +
    further * (PER_FURTHER_ATTEMPT.seconds + handlerSeconds) +
    refused * (PER_REFUSAL.seconds + coldSeconds);
  const turnReads = hasTurn ? (isCold ? PER_RUN.turnReadUnits : 0) : pausable ? 1 : 0;
  const lines = runs * PER_RUN.logBytes + further * PER_FURTHER_ATTEMPT.logBytes + refused * PER_REFUSAL.logBytes;
  const logGb = (lines + (runs + further) * handlerLogBytes) / GB;
  const storedGb = (runs * PER_RUN.storedBytes * (RECORD_KEPT_DAYS / DAYS_A_MONTH)) / GB;
  return {
    schedulerInvocations: runs + refused,
    lambdaRequests: runs + refused,
    lambdaGbSeconds: (seconds * memoryMiB) / MIB_A_GB,
    writeUnits:
      runs * (PER_RUN.writeUnits + (hasTurn ? PER_RUN.turnWriteUnits : 0)) + further * PER_FURTHER_ATTEMPT.writeUnits,
    readUnits: runs * (PER_RUN.watchdogReadUnits + turnReads) + (hasTurn ? further * PER_FURTHER_ATTEMPT.readUnits : 0),
    tableGbMonths: storedGb,
    customMetrics: metricsOfJob(job, failing),
    alarms: job.alarms,
    ...logUsage(logGb, scheduler.logRetentionDays),
    ...(scheduler.backup ? { backupGbMonths: storedGb } : {}),
    ...(scheduler.lifecycleEvents ? { busEvents: (runs + further) * 2 } : {}),
  };
}

/** What the scheduler uses in a month beside its jobs: the watchdog, the alarms, the dashboard. */
export function schedulerUsage(scheduler: PricedScheduler, runsAMonth: number): Usage {
  const { alarms, dashboards, kmsKeys, logRetentionDays } = scheduler;
  const seconds = MINUTES_A_MONTH * PER_SWEEP.seconds + runsAMonth * PER_SWEEP.secondsPerRun;
  return {
    schedulerInvocations: MINUTES_A_MONTH,
    lambdaRequests: MINUTES_A_MONTH,
    lambdaGbSeconds: (seconds * PER_SWEEP.memoryMiB) / MIB_A_GB,
    writeUnits: MINUTES_A_MONTH * PER_SWEEP.writeUnits + runsAMonth * PER_SWEEP.writeUnitsPerRun,
    readUnits: MINUTES_A_MONTH * PER_SWEEP.readUnits,
    customMetrics: SCHEDULER_METRICS,
    alarms,
    dashboards,
    kmsKeys,
    ...logUsage((MINUTES_A_MONTH * PER_SWEEP.logBytes) / GB, logRetentionDays),
  };
}

/** What is told of each run, and what is told of failures, each in the hours in which it happens. */
function metricsOfJob({ metrics, runsAMonth }: PricedJob, failing: number): number {
  if (metrics === 'scheduler') return 0;
  return metrics === 'detailed' ? DETAILED_METRICS * metricMonths(runsAMonth) : metricMonths(failing);
}

/** A metric is billed for each hour in which it gets data. */
export function metricMonths(hoursWithData: number): number {
  return Math.min(HOURS_A_MONTH, hoursWithData) / HOURS_A_MONTH;
}

export function logUsage(logGb: number, retentionDays: number): Usage {
  return { logGbIngested: logGb, logGbMonths: logGb * COMPRESSED * (retentionDays / DAYS_A_MONTH) };
}
