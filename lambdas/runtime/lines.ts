import { emfLine } from '../../lib/adapters/emf-metrics/emf-line.ts';
import type { OccurrenceKey } from '../../lib/domain/contract/occurrence-key.ts';
import type { Trigger } from '../../lib/domain/job.ts';
import { attemptMetrics } from '../../lib/domain/run/attempt-metrics.ts';
import type { RunStatus } from '../../lib/domain/run/run-record.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { CustomMetrics } from './custom-metrics.ts';
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
  /** What the handler added. */
  readonly metrics?: CustomMetrics | undefined;
}

/** One structured line and one metrics line for an attempt that ended, and the lines of the metrics that the handler added. */
export function printAttempt({ print, clock, scheduler, job }: RuntimeDependencies, report: AttemptReport): void {
  const at = clock.now();
  print(attemptLine(report, at));
  if (!report.continues) {
    const metrics = attemptMetrics({ ...report, byJob: job.metrics ?? 'failures' });
    print(emfLine({ at, scheduler, job: report.job, metrics }));
  }
  if (report.metrics !== undefined) printCustomMetrics(print, scheduler, { ...report, metrics: report.metrics }, at);
}

/** In lines of their own, so that no value of a handler's takes anything from what is told of the run. */
function printCustomMetrics(
  print: RuntimeDependencies['print'],
  scheduler: string,
  { job, scheduledTime, attempt, requestId, metrics }: AttemptReport & { readonly metrics: CustomMetrics },
  at: number,
): void {
  for (const line of metrics.lines()) print(emfLine({ at, scheduler, job, metrics: line }));
  if (metrics.dropped.size === 0) return;
  print(
    JSON.stringify({
      event: 'metricsDropped',
      level: 'warn',
      message: 'values added to metrics that CloudWatch would not take, or too many: they are not told',
      job,
      attempt,
      requestId,
      dropped: Object.fromEntries(metrics.dropped),
      scheduledTime: isoInstant(scheduledTime),
      at: isoInstant(at),
    }),
  );
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
export function printRefusal({ print, clock, scheduler, job }: RuntimeDependencies, report: RefusalReport): void {
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
    const under = job.metrics === 'detailed' ? 'both' : 'scheduler';
    print(emfLine({ at, scheduler, job: report.job, metrics: [{ name: 'Fenced', value: 1, under }] }));
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
