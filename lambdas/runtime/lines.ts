import { emfLine, jobEmfForm } from '../../lib/adapters/emf-metrics/emf-line.ts';
import type { OccurrenceKey } from '../../lib/domain/contract/occurrence-key.ts';
import type { Trigger } from '../../lib/domain/job.ts';
import type { RunStatus } from '../../lib/domain/run/run-record.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { RuntimeDependencies } from './dependencies.ts';

const STACK_LIMIT = 4_096;

/** How one attempt ended, as told to the log and to the metrics. */
export interface AttemptReport extends OccurrenceKey {
  readonly status: RunStatus;
  readonly message: string;
  readonly attempt: number;
  readonly trigger: Trigger;
  readonly durationMs: number;
  readonly latenessMs: number;
  readonly fencingToken: number;
  readonly requestId: string;
  readonly error?: unknown;
  readonly cause?: string | undefined;
  readonly segments?: number | undefined;
  /** The attempt goes on in another invocation: not its end. */
  readonly continues: boolean;
  readonly metrics?: readonly CustomMetric[];
}

export interface CustomMetric {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const ATTEMPT_UNITS = {
  Succeeded: 'Count',
  Failed: 'Count',
  Retried: 'Count',
  TimedOut: 'Count',
  Fenced: 'Count',
  Duration: 'Milliseconds',
};
/** How late a run began is told once: by its first attempt. */
const FIRST_ATTEMPT_UNITS = { ...ATTEMPT_UNITS, Lateness: 'Milliseconds' };
const attemptMetrics = jobEmfForm(ATTEMPT_UNITS);
const firstAttemptMetrics = jobEmfForm(FIRST_ATTEMPT_UNITS);

/** One structured line and one metrics line for an attempt that ended. */
export function printAttempt({ print, clock, environment }: RuntimeDependencies, report: AttemptReport): void {
  const at = clock.now();
  print(attemptLine(report, at));
  const custom = report.metrics ?? [];
  if (report.continues && custom.length === 0) return;
  print(custom.length === 0 ? metricsLine(report, at, environment) : customMetricsLine(report, at, environment));
}

function metricsLine(report: AttemptReport, at: number, Environment: string): string {
  const values = { Environment, Job: report.job, ...outcomeMetrics(report) };
  if (report.attempt > 1) return attemptMetrics(at, values);
  return firstAttemptMetrics(at, { ...values, Lateness: report.latenessMs });
}

/** With the metrics that the handler added; of an attempt that goes on they are all. */
function customMetricsLine(report: AttemptReport, at: number, environment: string): string {
  const { job, continues, attempt, latenessMs, metrics = [] } = report;
  const units: Record<string, string> = FIRST_ATTEMPT_UNITS;
  const all: Record<string, number> = { ...outcomeMetrics(report), ...(attempt > 1 ? {} : { Lateness: latenessMs }) };
  const own = continues ? {} : all;
  return emfLine({
    at,
    environment,
    job,
    metrics: Object.fromEntries([
      ...Object.entries(own).map(([name, value]) => [name, { value, unit: units[name] ?? 'Count' }] as const),
      ...metrics.map(({ name, value, unit }) => [name, { value, unit }] as const),
    ]),
  });
}

function outcomeMetrics({ status, cause, durationMs }: AttemptReport) {
  return {
    Succeeded: count(status === 'succeeded'),
    Failed: count(status === 'failed' && cause !== 'cancelled'),
    Retried: count(status === 'pending'),
    TimedOut: count(status === 'timedOut'),
    Fenced: 0,
    Duration: durationMs,
  };
}

function count(happened: boolean): number {
  return happened ? 1 : 0;
}

/** What is undefined is not written. */
function attemptLine(report: AttemptReport, at: number): string {
  const { status, error, continues } = report;
  const level =
    status === 'succeeded' || continues ? 'info' : status === 'pending' || status === 'skipped' ? 'warn' : 'error';
  return JSON.stringify({
    event: continues ? 'segment' : 'run',
    level,
    message: report.message,
    job: report.job,
    attempt: report.attempt,
    trigger: report.trigger,
    durationMs: report.durationMs,
    latenessMs: report.latenessMs,
    fencingToken: report.fencingToken,
    requestId: report.requestId,
    segments: report.segments,
    cause: report.cause,
    scheduledTime: isoInstant(report.scheduledTime),
    status,
    error: error === undefined ? undefined : describeError(error),
    at: isoInstant(at),
  });
}

export interface RefusalReport extends OccurrenceKey {
  readonly outcome: string;
  readonly requestId: string;
  readonly level?: 'info' | 'warn' | 'error';
  readonly message: string;
}

/** One line for a delivery that started nothing, or for an attempt that lost its run to another. */
export function printRefusal({ print, clock, environment }: RuntimeDependencies, report: RefusalReport): void {
  const at = clock.now();
  const { scheduledTime, level = 'info', message, ...rest } = report;
  print(
    JSON.stringify({
      event: 'claim',
      level,
      message,
      ...rest,
      scheduledTime: isoInstant(scheduledTime),
      at: isoInstant(at),
    }),
  );
  if (report.outcome === 'fenced') {
    print(emfLine({ at, environment, job: report.job, metrics: { Fenced: { value: 1, unit: 'Count' } } }));
  }
}

export function isoInstant(instant: number): string {
  return instant % 1000 === 0 ? formatInstant(instant) : new Date(instant).toISOString();
}

export function describeError(error: unknown): { name: string; message: string; stack?: string } {
  if (!(error instanceof Error)) return { name: 'NotAnError', message: String(error) };
  const { name, message, stack } = error;
  return { name, message, ...(stack === undefined ? {} : { stack: stack.slice(0, STACK_LIMIT) }) };
}

export function errorText(error: unknown): string {
  const { name, message } = describeError(error);
  return `${name}: ${message}`;
}
