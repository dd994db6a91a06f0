import { beforeAll, describe, expect, test } from 'vitest';
import { reportLines } from '../../lambdas/watchdog/report.ts';
import type { SweepReport } from '../../lambdas/watchdog/sweep.ts';
import { emfLine } from '../../lib/adapters/emf-metrics/emf-line.ts';
import { AlarmEvaluator } from '../../lib/local/alarms/alarm-evaluator.ts';
import { type MetricDatum, readEmbeddedMetrics } from '../../lib/local/alarms/embedded-metrics.ts';
import type { AlarmResource } from '../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import { deployedAlarms } from '../support/deployed-alarms.ts';
import { stepTo } from '../support/step-clock.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const AT = 10;
let alarms: readonly AlarmResource[];

beforeAll(() => {
  alarms = deployedAlarms();
}, 120_000);

interface Story {
  /** What the sweep of a minute reports, beside its pulse. */
  readonly sweep?: (minute: number) => Partial<SweepReport> | 'none';
  /** Further metrics of a minute. */
  readonly metrics?: (minute: number) => readonly MetricDatum[];
  /** Default 30. */
  readonly minutes?: number;
}

/** Minute by minute. Returns each alarm that rang, and when, in minutes. */
function trace({ sweep = () => ({}), metrics = () => [], minutes = 30 }: Story): string[] {
  const clock = new VirtualClock({ from: NOON });
  clock.pause();
  const rang: string[] = [];
  const evaluator = new AlarmEvaluator({
    clock,
    alarms,
    onChange: ({ alarm, state, at }) => {
      if (state === 'ALARM')
        rang.push(
          `${alarm.name.replace('belfry-dev-jobs-', '')} ${Math.floor((at - NOON) / MINUTE)} ${alarm.severity}`,
        );
    },
  });
  clock.start();
  evaluator.start();
  for (let minute = 0; minute < minutes; minute++) {
    const now = NOON + minute * MINUTE + 1_000;
    const reported = sweep(minute);
    if (reported !== 'none') {
      const quiet: SweepReport = {
        done: [],
        failed: [],
        findings: [],
        messages: [],
        examined: 0,
        sweptAt: now,
        moved: true,
      };
      const lines = reportLines(
        { ...quiet, ...reported },
        { scheduler: 'belfry-dev-jobs', startedAt: now, endedAt: now + 50 },
      );
      for (const line of lines) for (const datum of readEmbeddedMetrics(JSON.parse(line))) evaluator.add(datum);
    }
    for (const datum of metrics(minute)) evaluator.add(datum);
    stepTo(clock, NOON + (minute + 1) * MINUTE);
  }
  evaluator.stop();
  return rang;
}

const key = { job: 'heartbeat', scheduledTime: NOON };
const once = (report: Partial<SweepReport>) => (minute: number) => (minute === AT ? report : {});
const finding = (kind: SweepReport['findings'][number]['kind']) =>
  once({ findings: [{ kind, key, observedMs: 2, limitMs: 1 }] });
const ofRuns = (minute: number, metrics: Record<string, number>): MetricDatum[] => {
  const line = emfLine({
    at: NOON + minute * MINUTE,
    scheduler: 'belfry-dev-jobs',
    job: 'heartbeat',
    metrics: Object.entries(metrics).map(([name, value]) => ({ name, value, under: 'both' })),
  });
  return [...readEmbeddedMetrics(JSON.parse(line))];
};
const aws =
  (namespace: string, name: string, dimensions: Record<string, string>, when = AT) =>
  (minute: number) =>
    minute === when ? [{ namespace, name, dimensions, value: 1, at: NOON + minute * MINUTE }] : [];

describe('each alarm rings once, for what it is about and for nothing else', () => {
  test('a quiet half hour', () => {
    expect(
      trace({ metrics: (minute) => ofRuns(minute, { Succeeded: 1, Failed: 0, TimedOut: 0, Retried: 0 }) }),
    ).toEqual([]);
  });

  test('a failed attempt whose retry succeeds', () => {
    const retried = (minute: number) =>
      ofRuns(minute, minute === AT ? { Retried: 1, Failed: 0 } : { Succeeded: 1, Failed: 0 });
    expect(trace({ metrics: retried })).toEqual([]);
  });

  test.each(['overdue', 'late', 'slow', 'stuck', 'tooFast', 'tooOften'] as const)(
    '%s, which the watchdog tells',
    (kind) => {
      expect(trace({ sweep: finding(kind) })).toEqual([]);
    },
  );

  test('a miss, a final failure and a timeout, which the watchdog tells', () => {
    const done = [{ type: 'recordMissed', key, cause: 'unknown' }] as const;
    const ended = (minute: number) => (minute === AT ? ofRuns(minute, { TimedOut: 1, Failed: 1 }) : []);
    const usual = (minute: number) =>
      Array.from({ length: 12 }, () => ofRuns(minute, { Succeeded: 1, Failed: 0 })).flat();
    expect(trace({ sweep: once({ done }), metrics: (minute) => [...usual(minute), ...ended(minute)] })).toEqual([]);
  });

  test('a message that could not be sent, when the next sweep cannot send it either', () => {
    const incidents = [{ ...key, kind: 'late', id: 'late-1', since: NOON, badAt: NOON, count: 1 }] as const;
    const message = { id: 'late-1', kind: 'late', change: 'opened', severity: 'warn', incidents } as const;
    const messages = [{ message, error: new Error('no such topic') }];
    expect(trace({ sweep: once({ messages }) })).toEqual([]);
    expect(trace({ sweep: (minute) => (minute === AT || minute === AT + 1 ? { messages } : {}) })).toEqual([
      'Untold 12 page',
    ]);
  });

  test('a watchdog that says nothing any more', () => {
    expect(trace({ sweep: (minute) => (minute >= AT ? 'none' : {}) })).toEqual(['WatchdogSilent 13 page']);
  });

  test('one sweep that is left out', () => {
    expect(trace({ sweep: (minute) => (minute === AT ? 'none' : {}) })).toEqual([]);
  });

  test('a watchdog that cannot act in three of five minutes, and not before', () => {
    const failed = [{ action: { type: 'catchUp', key }, error: new Error('denied') }] as const;
    expect(trace({ sweep: (minute) => (minute === AT || minute === AT + 1 ? { failed } : {}) })).toEqual([]);
    expect(trace({ sweep: (minute) => (minute >= AT && minute < AT + 3 ? { failed } : {}) })).toEqual([
      'WatchdogFailing 13 ticket',
    ]);
  });

  test('an event in the dead-letter queue', () => {
    const [queue] = alarms.filter(({ name }) => name.endsWith('DeadLetters'));
    const metrics = aws('AWS/SQS', 'NumberOfMessagesSent', { ...queue?.dimensions });
    expect(trace({ metrics })).toEqual(['DeadLetters 11 ticket']);
  });

  test.each([
    ['InvocationDroppedCount', 'Dropped 41 ticket'],
    ['TargetErrorCount', 'TargetErrors 41 ticket'],
  ])('%s, but not while the first deployment goes on', (name, expected) => {
    const [group] = alarms.filter(({ metricName }) => metricName === name);
    const at = (when: number) => aws('AWS/Scheduler', name, { ...group?.dimensions }, when);
    expect(trace({ metrics: at(40), minutes: 60 })).toEqual([expected]);
    for (const early of [0, 3]) expect(trace({ metrics: at(early), minutes: 60 })).toEqual([]);
  });

  test('more than a tenth of a day that failed', () => {
    const [rate] = alarms.filter(({ name }) => name.endsWith('FailureRate'));
    expect(rate).toMatchObject({ statistic: 'Average', periodMs: 86_400_000, threshold: 0.1 });
  });
});
