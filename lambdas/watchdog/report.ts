import { emfLine } from '../../lib/adapters/emf-metrics/emf-line.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { SweepAction } from '../../lib/domain/watch/plan-sweep.ts';
import type { TimingFinding } from '../../lib/domain/watch/plan-timing.ts';
import type { SweepReport } from './sweep.ts';

const ofScheduler = (name: string, value: number) => ({ name, value, under: 'scheduler' }) as const;

/** What a sweep tells: a line for each thing done or failed, a summary, and the metrics that the alarms watch. */
export function reportLines(
  report: SweepReport,
  { environment, startedAt, endedAt }: { environment: string; startedAt: number; endedAt: number },
): string[] {
  const at = formatInstant(endedAt);
  const lines = [
    ...tellDone(report.done).map((line) => JSON.stringify({ ...line, at })),
    ...report.findings.map((finding) => JSON.stringify({ ...describeFinding(finding), at })),
    ...report.notifications.map((told) => JSON.stringify({ ...describeNotification(told), at })),
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
  const counts = countByJob(report);
  const missed = report.done.filter(({ type }) => type === 'recordMissed').length;
  lines.push(
    JSON.stringify({
      event: 'sweep',
      level: report.failed.length > 0 ? 'error' : 'info',
      examined: report.examined,
      missed,
      done: report.done.length,
      findings: report.findings.length,
      failed: report.failed.length,
      sweptAt: formatInstant(report.sweptAt),
      moved: report.moved,
      durationMs: endedAt - startedAt,
      at,
    }),
    emfLine({
      at: endedAt,
      environment,
      metrics: [
        ofScheduler('WatchdogHeartbeat', 1),
        ofScheduler('SweepFailures', report.failed.length),
        { ...ofScheduler('SweepDuration', endedAt - startedAt), unit: 'Milliseconds' },
        // Told even when nothing was missed, so that the alarm comes back to OK.
        ...(missed === 0 ? [ofScheduler('Missed', 0)] : []),
      ],
    }),
    ...[...counts].map(([job, found]) =>
      emfLine({
        at: endedAt,
        environment,
        job,
        metrics: [...found].map(([name, value]) => ({ name, value, under: 'both' })),
      }),
    ),
  );
  return lines;
}

/** Of one job's misses in one sweep so many have a line each; more are what an outage left behind. */
const MOST_MISSED_LINES = 20;

function tellDone(done: readonly SweepAction[]): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const missed = new Map<string, number[]>();
  for (const action of done) {
    if (action.type === 'recordMissed') {
      const { job, scheduledTime } = action.key;
      const ofJob = missed.get(job) ?? [];
      missed.set(job, ofJob);
      ofJob.push(scheduledTime);
      if (ofJob.length > MOST_MISSED_LINES) continue;
    }
    lines.push(describe(action));
  }
  for (const [job, times] of missed) {
    const rest = times.slice(MOST_MISSED_LINES).sort((a, b) => a - b);
    const [first, last] = [rest.at(0), rest.at(-1)];
    if (first === undefined || last === undefined) continue;
    const range = { from: formatInstant(first), to: formatInstant(last) };
    lines.push({ event: 'missedMore', level: 'error', job, count: rest.length, ...range });
  }
  return lines;
}

const METRIC_OF = {
  lateStart: 'LateStart',
  overdue: 'Overdue',
  tooFast: 'TooFast',
  slow: 'Slow',
  stuck: 'Stuck',
  tooOften: 'TooOften',
  excluded: 'Missed',
} as const satisfies Record<TimingFinding['kind'], string>;

/** Metrics by job: what was missed, what was given up, what its timing says. */
function countByJob({ done, findings }: SweepReport): Map<string, Map<string, number>> {
  const counts = new Map<string, Map<string, number>>();
  const add = (job: string, metric: string) => {
    const ofJob = counts.get(job) ?? new Map<string, number>();
    ofJob.set(metric, (ofJob.get(metric) ?? 0) + 1);
    counts.set(job, ofJob);
  };
  for (const action of done) {
    if (action.type === 'recordMissed') add(action.key.job, 'Missed');
    // The attempt that should have told of the failure is gone.
    if (action.type === 'closeExhausted' || action.type === 'closeUndeliverable') add(action.run.job, 'Failed');
  }
  for (const { kind, key } of findings) add(key.job, METRIC_OF[kind]);
  return counts;
}

function describeFinding({ kind, key, observedMs, limitMs }: TimingFinding): Record<string, unknown> {
  return { event: 'timing', level: 'warn', kind, ...occurrence(key), observedMs, limitMs };
}

function describe(action: SweepAction): Record<string, unknown> {
  switch (action.type) {
    case 'recordMissed':
      return {
        event: 'missed',
        level: 'error',
        ...occurrence(action.key),
        cause: action.cause,
        ...(action.detail === undefined ? {} : { detail: action.detail }),
        ...(action.fix === undefined ? {} : { fix: action.fix }),
      };
    case 'recordSkipped':
      return { event: 'skipped', level: 'info', ...occurrence(action.key), cause: action.cause };
    case 'supplement':
      return { event: 'supplemented', level: 'info', ...occurrence(action.key) };
    case 'endPause':
      return { event: 'pauseEnded', level: 'info', job: action.job, until: formatInstant(action.until) };
    case 'closeUndeliverable':
      return { event: 'undeliverable', level: 'error', ...occurrence(action.run), attempts: action.run.attempts };
    case 'catchUp':
      return { event: 'caughtUp', level: 'warn', ...occurrence(action.key) };
    case 'redeliver':
      return { event: 'redelivered', level: 'warn', ...occurrence(action.key), reason: action.reason };
    case 'closeExhausted':
      return { event: 'exhausted', level: 'error', ...occurrence(action.run), attempts: action.run.attempts };
  }
}

function describeNotification({ notification, error }: SweepReport['notifications'][number]): Record<string, unknown> {
  const { change, severity, kind, count, since } = notification;
  return {
    event: 'notification',
    level: error === undefined ? 'info' : 'error',
    ...occurrence(notification),
    change,
    severity,
    kind,
    count,
    since: formatInstant(since),
    ...(error === undefined ? {} : { error: String(error) }),
  };
}

function occurrence({ job, scheduledTime }: { readonly job: string; readonly scheduledTime: number }) {
  return { job, scheduledTime: formatInstant(scheduledTime) };
}
