import { emfLine } from '../../lib/adapters/emf-metrics/emf-line.ts';
import type { Trigger } from '../../lib/domain/job.ts';
import type { RunKey, RunStatus } from '../../lib/domain/run/run-record.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { RuntimeDependencies } from './dependencies.ts';

const STACK_LIMIT = 4_096;

/** How one attempt ended, as told to the log and to the metrics. */
export interface AttemptReport extends RunKey {
  readonly status: RunStatus;
  readonly message: string;
  readonly attempt: number;
  readonly trigger: Trigger;
  readonly durationMs: number;
  readonly latenessMs: number;
  readonly fencingToken: number;
  readonly requestId: string;
  readonly error?: unknown;
  readonly cause?: string;
  readonly segments?: number;
  /** The attempt goes on in another invocation: not its end. */
  readonly continues: boolean;
  readonly metrics?: readonly CustomMetric[];
}

export interface CustomMetric {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** One structured line and one metrics line for an attempt that ended. */
export function printAttempt({ print, clock, environment }: RuntimeDependencies, report: AttemptReport): void {
  const at = clock.now();
  const { status, error, metrics, scheduledTime, message, continues, ...rest } = report;
  const level =
    status === 'succeeded' || continues ? 'info' : status === 'pending' || status === 'skipped' ? 'warn' : 'error';
  print(
    JSON.stringify({
      event: continues ? 'segment' : 'run',
      level,
      message,
      ...rest,
      scheduledTime: isoInstant(scheduledTime),
      status,
      ...(error === undefined ? {} : { error: describeError(error) }),
      at: isoInstant(at),
    }),
  );
  const custom = Object.fromEntries((metrics ?? []).map(({ name, value, unit }) => [name, { value, unit }]));
  if (continues) {
    if (Object.keys(custom).length > 0) print(emfLine({ at, environment, job: report.job, metrics: custom }));
    return;
  }
  const count = (happened: boolean) => ({ value: happened ? 1 : 0, unit: 'Count' });
  const cancelled = report.cause === 'cancelled';
  print(
    emfLine({
      at,
      environment,
      job: report.job,
      metrics: {
        Succeeded: count(status === 'succeeded'),
        Failed: count(status === 'failed' && !cancelled),
        Retried: count(status === 'pending'),
        TimedOut: count(status === 'timedOut'),
        Fenced: count(false),
        Duration: { value: report.durationMs, unit: 'Milliseconds' },
        ...(report.attempt <= 1 ? { Lateness: { value: report.latenessMs, unit: 'Milliseconds' } } : {}),
        ...custom,
      },
    }),
  );
}

export interface RefusalReport extends RunKey {
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
