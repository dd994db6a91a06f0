import { emfLine } from '../../lib/adapters/emf-metrics/emf-line.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { SweepAction } from '../../lib/domain/watch/plan-sweep.ts';
import type { SweepReport } from './sweep.ts';

const count = (value: number) => ({ value, unit: 'Count' });

/** What a sweep tells: a line for each thing done or failed, a summary, and the metrics that the alarms watch. */
export function reportLines(
  report: SweepReport,
  { environment, startedAt, endedAt }: { environment: string; startedAt: number; endedAt: number },
): string[] {
  const at = formatInstant(endedAt);
  const lines = [
    ...report.done.map((action) => JSON.stringify({ ...describe(action), at })),
    ...report.failed.map(({ action, error }) =>
      JSON.stringify({
        event: 'sweepActionFailed',
        level: 'error',
        action: describe(action),
        error: String(error),
        at,
      }),
    ),
  ];
  const missed = missedByJob(report.done);
  const total = [...missed.values()].reduce((sum, one) => sum + one, 0);
  lines.push(
    JSON.stringify({
      event: 'sweep',
      level: report.failed.length > 0 ? 'error' : 'info',
      examined: report.examined,
      missed: total,
      done: report.done.length,
      failed: report.failed.length,
      sweptAt: formatInstant(report.sweptAt),
      moved: report.moved,
      durationMs: endedAt - startedAt,
      at,
    }),
    emfLine({
      at: endedAt,
      environment,
      metrics: {
        WatchdogHeartbeat: count(1),
        SweepFailures: count(report.failed.length),
        SweepDuration: { value: endedAt - startedAt, unit: 'Milliseconds' },
        // Told even when nothing was missed, so that the alarm comes back to OK.
        ...(total === 0 ? { Missed: count(0) } : {}),
      },
    }),
    ...[...missed].map(([job, value]) => emfLine({ at: endedAt, environment, job, metrics: { Missed: count(value) } })),
  );
  return lines;
}

function missedByJob(done: readonly SweepAction[]): Map<string, number> {
  const missed = new Map<string, number>();
  for (const action of done) {
    if (action.type === 'recordMissed') missed.set(action.key.job, (missed.get(action.key.job) ?? 0) + 1);
  }
  return missed;
}

function describe(action: SweepAction): Record<string, unknown> {
  switch (action.type) {
    case 'recordMissed':
      return { event: 'missed', level: 'error', ...occurrence(action.key), cause: action.cause };
    case 'catchUp':
      return { event: 'caughtUp', level: 'warn', ...occurrence(action.key) };
    case 'redeliver':
      return { event: 'redelivered', level: 'warn', ...occurrence(action.key), reason: action.reason };
    case 'closeExhausted':
      return { event: 'exhausted', level: 'error', ...occurrence(action.run), attempts: action.run.attempts };
  }
}

function occurrence({ job, scheduledTime }: { readonly job: string; readonly scheduledTime: number }) {
  return { job, scheduledTime: formatInstant(scheduledTime) };
}
