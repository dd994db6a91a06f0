import type { Usage } from '../../../lib/domain/cost/bill.ts';
import { HOURS_A_MONTH, logUsage, type PricedScheduler } from '../../../lib/domain/cost/monthly-usage.ts';
import type { CountedHours } from './simulated-hours.ts';

/** What no simulation without a network and a Lambda can count. */
export const ASSUMED = {
  /** A request to DynamoDB from a Lambda in the same Region. */
  requestMs: 5,
  /** The first one of a process, which opens the connection, beyond that. */
  connectMs: 40,
  /** Lambda gives 512 MiB about 0.29 of a processor: what takes this machine one millisecond takes Lambda so many. */
  sweepSlowdown: 3.5,
  /** Requests of a sweep that are not made at the same time as others. */
  sweepSteps: 4,
  /** Billed initialisation of a function of 256 MiB, and what its handler takes. */
  initMs: 400,
  recordsKeptDays: 90,
} as const;

export interface Deployed extends PricedScheduler {
  /** Memory of a job's function, and of the watchdog's. */
  readonly jobMiB: number;
  readonly watchdogMiB: number;
}

/** Usage of a month from that of some hours of it. `handlers`: with what the handlers themselves use. */
export function monthOf(
  counted: CountedHours,
  deployed: Deployed,
  { handlers }: { readonly handlers: boolean },
): Usage {
  const { ofJobs, ofWatchdog, invocations, sweeps } = counted;
  const { requestMs, connectMs, sweepSlowdown, sweepSteps, initMs } = ASSUMED;
  const factor = HOURS_A_MONTH / counted.hours;
  const jobMs = ofJobs.requests * requestMs + invocations * connectMs + counted.waitedMs;
  const handlerMs = handlers ? counted.handlerMs + invocations * initMs : 0;
  // Of requests beyond the first hundreds 32 are on their way at a time.
  const sweepMs = counted.sweepCpuMs * sweepSlowdown + (sweeps * sweepSteps + ofWatchdog.requests / 32) * requestMs;
  const gbSeconds = ((jobMs + handlerMs) * deployed.jobMiB + sweepMs * deployed.watchdogMiB) / 1_000 / 1_024;
  const storedGb = (counted.storedBytes * factor * (ASSUMED.recordsKeptDays / (HOURS_A_MONTH / 24))) / 1e9;
  return {
    schedulerInvocations: (invocations + sweeps) * factor,
    lambdaRequests: (invocations + sweeps) * factor,
    lambdaGbSeconds: gbSeconds * factor,
    writeUnits: (ofJobs.writeUnits + ofWatchdog.writeUnits) * factor,
    readUnits: (ofJobs.readUnits + ofWatchdog.readUnits) * factor,
    tableGbMonths: storedGb,
    ...(deployed.backup ? { backupGbMonths: storedGb } : {}),
    customMetrics: counted.metricHours / counted.hours,
    alarms: deployed.alarms,
    dashboards: deployed.dashboards,
    snsRequests: counted.messages * factor,
    ...logUsage(((ofJobs.logBytes + ofWatchdog.logBytes) * factor) / 1e9, deployed.logRetentionDays),
  };
}
