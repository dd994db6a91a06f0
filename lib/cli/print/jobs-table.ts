import Table from 'cli-table3';
import { formatInstant } from '../../domain/time/instant.ts';
import type { JobSummary } from '../jobs.ts';
import type { Target } from '../target.ts';
import { formatDuration, paint, paintStatus } from './dev-lines.ts';
import { localTime, runJson } from './runs-table.ts';

export function jobsJson(summaries: readonly JobSummary[]): object {
  return {
    jobs: summaries.map(({ job, next, state, isPaused, last }) => ({
      ...job,
      next: next === undefined ? null : formatInstant(next),
      paused: isPaused,
      ...(isPaused && state?.pause !== undefined
        ? {
            pause: {
              by: state.pause.by,
              note: state.pause.note,
              ...(state.pause.at === undefined ? {} : { at: new Date(state.pause.at).toISOString() }),
              ...(state.pause.until === undefined ? {} : { until: formatInstant(state.pause.until) }),
            },
          }
        : {}),
      ...(state?.timing === undefined ? {} : { usualDurationMs: Math.round(state.timing.averageMs) }),
      lastRun: last === undefined ? null : runJson(last),
    })),
  };
}

export function jobsText(summaries: readonly JobSummary[], { state, environment }: Target): string {
  if (summaries.length === 0) {
    return state === undefined
      ? `the watchdog of ${environment} has not looked once yet (it does every minute), so no job is known\n`
      : `no such jobs in ${environment}\n`;
  }
  const table = new Table({
    head: ['job', 'schedule', 'next', '', 'last', '', 'usually'],
    style: { head: [], border: [], compact: true },
  });
  for (const { job, next, state: kept, isPaused, last } of summaries) {
    table.push([
      job.name,
      [job.schedule].flat().join('\n'),
      isPaused ? paint('yellow', 'paused') : next === undefined ? 'never' : formatInstant(next),
      isPaused ? (kept?.pause?.note ?? '') : next === undefined ? job.timeZone : localTime(next, job.timeZone),
      last === undefined ? 'none yet' : formatInstant(last.scheduledTime),
      last === undefined ? '' : `${paintStatus(last.status)}${last.cause === undefined ? '' : ` (${last.cause})`}`,
      kept?.timing === undefined ? '' : formatDuration(kept.timing.averageMs),
    ]);
  }
  return `${table.toString()}\n`;
}
