import { emfLine } from '../../lib/adapters/emf-metrics/emf-line.ts';
import type { JobMetric, WatchdogMetric } from '../../lib/domain/contract/metrics.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { SweepAction } from '../../lib/domain/watch/plan-sweep.ts';
import type { TimingFinding } from '../../lib/domain/watch/plan-timing.ts';
import type { SweepReport } from './sweep.ts';

const ofScheduler = (name: WatchdogMetric | JobMetric, value: number) => ({ name, value, under: 'scheduler' }) as const;

export interface ReportedSweep {
  readonly scheduler: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Jobs whose metrics are told under the scheduler's name alone. */
  readonly together?: ReadonlySet<string>;
}

/** What a sweep tells: a line for each thing done or failed, a summary, and the metrics that the alarms watch. */
export function reportLines(
  report: SweepReport,
  { scheduler, startedAt, endedAt, together = new Set() }: ReportedSweep,
): string[] {
  const at = formatInstant(endedAt);
  const lines = [
    ...tellDone(report.done).map((line) => JSON.stringify({ ...line, at })),
    ...report.findings.map((finding) => JSON.stringify({ ...describeFinding(finding), at })),
    ...report.messages.map((sent) => JSON.stringify({ ...describeMessage(sent), at })),
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
  const overdue = overdueNow(report);
  const untold = report.messages.filter(({ error }) => error !== undefined).length;
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
      scheduler,
      // Those that are zero are left out: each is billed by the hour in which it is told.
      metrics: [
        ofScheduler('WatchdogHeartbeat', 1),
        ...[
          ofScheduler('SweepFailures', report.failed.length),
          ofScheduler('Untold', untold),
          ofScheduler('Overdue', overdue.length),
        ].filter(({ value }) => value > 0),
      ],
    }),
    ...[...counts].map(([job, found]) =>
      emfLine({
        at: endedAt,
        scheduler,
        job,
        metrics: [...found].map(([name, value]) => ({ name, value, under: together.has(job) ? 'scheduler' : 'both' })),
      }),
    ),
    ...overdue
      .filter((job) => !together.has(job))
      .map((job) => emfLine({ at: endedAt, scheduler, job, metrics: [{ name: 'Overdue', value: 1, under: 'job' }] })),
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
  late: 'Late',
  overdue: undefined,
  tooFast: 'TooFast',
  slow: 'Slow',
  stuck: 'Stuck',
  tooOften: 'TooOften',
  excluded: 'Missed',
} as const satisfies Record<TimingFinding['kind'], JobMetric | undefined>;

/** Jobs that are overdue still: told in each sweep while it lasts, so that no alarm on it ends before. */
function overdueNow({ state }: SweepReport): readonly string[] {
  return (state?.incidents ?? []).flatMap(({ kind, job, wellSince }) =>
    kind === 'overdue' && wellSince === undefined ? [job] : [],
  );
}

/** Metrics by job: what was missed, what was given up, what its timing says. */
function countByJob({ done, findings }: SweepReport): Map<string, Map<JobMetric, number>> {
  const counts = new Map<string, Map<JobMetric, number>>();
  const add = (job: string, metric: JobMetric) => {
    const ofJob = counts.get(job) ?? new Map<JobMetric, number>();
    ofJob.set(metric, (ofJob.get(metric) ?? 0) + 1);
    counts.set(job, ofJob);
  };
  for (const action of done) {
    if (action.type === 'recordMissed') add(action.key.job, 'Missed');
    // The attempt that should have told of the failure is gone.
    if (action.type === 'closeExhausted' || action.type === 'closeUndeliverable') add(action.run.job, 'Failed');
  }
  for (const { kind, key } of findings) {
    const metric = METRIC_OF[kind];
    if (metric !== undefined) add(key.job, metric);
  }
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

/** Of more jobs a line says how many. */
const MOST_JOBS_NAMED = 20;

function describeMessage({ message, error }: SweepReport['messages'][number]): Record<string, unknown> {
  const { id, change, kind, severity, incidents } = message;
  return {
    event: error === undefined ? 'told' : 'untold',
    level: error === undefined ? 'info' : 'error',
    incident: id,
    change,
    kind,
    severity,
    jobs: incidents.slice(0, MOST_JOBS_NAMED).map(({ job }) => job),
    count: incidents.length,
    ...(error === undefined ? {} : { error: String(error) }),
  };
}

function occurrence({ job, scheduledTime }: { readonly job: string; readonly scheduledTime: number }) {
  return { job, scheduledTime: formatInstant(scheduledTime) };
}
