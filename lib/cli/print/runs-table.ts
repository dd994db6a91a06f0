import Table from 'cli-table3';
import type { RunRecord } from '../../domain/run/run-record.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import type { RosterEntry } from '../../domain/watch/watch-state.ts';
import { formatDuration, paint, paintStatus } from './dev-lines.ts';

/** Instants as ISO text, durations in milliseconds. */
export function runJson(run: RunRecord): object {
  const {
    scheduledTime,
    claimedAt,
    updatedAt,
    nextAttemptAt,
    leaseExpiresAt,
    cancelRequestedAt,
    requestedAt,
    ...rest
  } = run;
  const instants = { claimedAt, updatedAt, nextAttemptAt, leaseExpiresAt, cancelRequestedAt, requestedAt };
  return {
    ...rest,
    scheduledTime: formatInstant(scheduledTime),
    ...Object.fromEntries(
      Object.entries(instants).flatMap(([name, at]) => (at === undefined ? [] : [[name, new Date(at).toISOString()]])),
    ),
    ...(latenessOf(run) === undefined ? {} : { latenessMs: latenessOf(run) }),
    ...(durationOf(run) === undefined ? {} : { durationMs: durationOf(run) }),
  };
}

export function runsText(job: string, runs: readonly RunRecord[]): string {
  if (runs.length === 0) return `job ${job} has no such runs\n`;
  const table = new Table({
    head: ['scheduled', 'status', 'cause', 'attempts', 'began', 'took', 'trigger'],
    style: { head: [], border: [], compact: true },
  });
  for (const run of runs) {
    table.push([
      formatInstant(run.scheduledTime),
      paintStatus(run.status),
      run.cause ?? firstLine(run.error) ?? '',
      run.attempts,
      latenessOf(run) === undefined ? '' : `+${formatDuration(latenessOf(run) ?? 0)}`,
      durationOf(run) === undefined ? '' : formatDuration(durationOf(run) ?? 0),
      run.trigger,
    ]);
  }
  return `${table.toString()}\n`;
}

export function runText(run: RunRecord, job: RosterEntry | undefined): string {
  const instant = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
  const local = job === undefined ? undefined : localTime(run.scheduledTime, job.timeZone);
  const lines: [string, string | number | undefined][] = [
    ['job', run.job],
    ['scheduled', `${formatInstant(run.scheduledTime)}${local === undefined ? '' : ` (${local})`}`],
    ['status', paintStatus(run.status)],
    ['cause', run.cause],
    ['error', run.error],
    ['result', run.result],
    ['trigger', run.trigger],
    ['asked for by', run.requestedBy],
    ['because', run.requestNote],
    ['asked at', instant(run.requestedAt)],
    ['attempts', run.attempts],
    ['segments', run.segments],
    ['progress', run.progress],
    ['began', began(run)],
    ['took', durationOf(run) === undefined ? undefined : formatDuration(durationOf(run) ?? 0)],
    ['last written', instant(run.updatedAt)],
    ['next attempt', instant(run.nextAttemptAt)],
    ['lease until', instant(run.leaseExpiresAt)],
    ['asked to stop', instant(run.cancelRequestedAt)],
    ['fencing token', run.fencingToken],
    ['revision', run.revision],
    ['checkpoint', run.checkpoint],
  ];
  return lines
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${paint('dim', name.padEnd(14))} ${value}\n`)
    .join('');
}

function began(run: RunRecord): string | undefined {
  if (run.claimedAt === undefined) return undefined;
  return `${new Date(run.claimedAt).toISOString()} (${formatDuration(latenessOf(run) ?? 0)} after its time)`;
}

function latenessOf({ claimedAt, scheduledTime }: RunRecord): number | undefined {
  return claimedAt === undefined ? undefined : claimedAt - scheduledTime;
}

/** From the first attempt to the outcome. */
function durationOf({ claimedAt, updatedAt, status }: RunRecord): number | undefined {
  if (claimedAt === undefined || updatedAt === undefined || status === 'running' || status === 'pending')
    return undefined;
  return updatedAt - claimedAt;
}

export function localTime(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return `${format.format(at)} ${timeZone}`;
}

function firstLine(text: string | undefined): string | undefined {
  const line = text?.split('\n')[0] ?? '';
  return line === '' ? undefined : line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
