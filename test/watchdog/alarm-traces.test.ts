import { beforeAll, describe, expect, test } from 'vitest';
import { reportLines } from '../../lambdas/watchdog/report.ts';
import type { SweepReport } from '../../lambdas/watchdog/sweep.ts';
import { emfLine } from '../../lib/adapters/emf-metrics/emf-line.ts';
import { AlarmEvaluator } from '../../lib/local/alarms/alarm-evaluator.ts';
import { type MetricDatum, readEmbeddedMetrics } from '../../lib/local/alarms/embedded-metrics.ts';
import type { AlarmResource } from '../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import { deployedAlarms } from '../support/deployed-alarms.ts';

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
}

/** Half an hour, minute by minute. Returns each alarm that rang, and when, in minutes. */
function trace({ sweep = () => ({}), metrics = () => [] }: Story): string[] {
  const clock = new VirtualClock({ from: NOON });
  clock.pause();
  const rang: string[] = [];
  const evaluator = new AlarmEvaluator({
    clock,
    alarms,
    onChange: ({ alarm, state, at }) => {
      if (state === 'ALARM')
        rang.push(`${alarm.name.replace('belfry-dev-', '')} ${Math.floor((at - NOON) / MINUTE)} ${alarm.severity}`);
    },
  });
  clock.start();
  evaluator.start();
  for (let minute = 0; minute < 30; minute++) {
    const now = NOON + minute * MINUTE + 1_000;
    const reported = sweep(minute);
    if (reported !== 'none') {
      const quiet: SweepReport = {
        done: [],
        failed: [],
        findings: [],
        notifications: [],
        examined: 0,
        sweptAt: now,
        moved: true,
      };
      const lines = reportLines({ ...quiet, ...reported }, { environment: 'dev', startedAt: now, endedAt: now + 50 });
      for (const line of lines) for (const datum of readEmbeddedMetrics(JSON.parse(line))) evaluator.add(datum);
    }
    for (const datum of metrics(minute)) evaluator.add(datum);
    clock.step();
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
    environment: 'dev',
    job: 'heartbeat',
    metrics: Object.entries(metrics).map(([name, value]) => ({ name, value, under: 'both' })),
  });
  return [...readEmbeddedMetrics(JSON.parse(line))];
};
const aws = (namespace: string, name: string, dimensions: Record<string, string>) => (minute: number) =>
  minute === AT ? [{ namespace, name, dimensions, value: 1, at: NOON + minute * MINUTE }] : [];

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

  test('a miss', () => {
    expect(trace({ sweep: once({ done: [{ type: 'recordMissed', key, cause: 'unknown' }] }) })).toEqual([
      'Missed 11 warn',
    ]);
  });

  test.each([
    ['overdue', 'Overdue 11 page'],
    ['lateStart', 'LateStart 11 warn'],
    ['slow', 'Slow 11 warn'],
    ['stuck', 'Stuck 11 warn'],
    ['tooFast', 'TooFast 11 warn'],
    ['tooOften', 'TooOften 11 warn'],
  ] as const)('%s', (kind, expected) => {
    expect(trace({ sweep: finding(kind) })).toEqual([expected]);
  });

  test('a final failure', () => {
    expect(trace({ metrics: (minute) => ofRuns(minute, { Failed: minute === AT ? 1 : 0 }) })).toEqual([
      'Failed 11 ticket',
    ]);
  });

  test('a run that the watchdog closed', () => {
    const run = { ...key, status: 'running', fencingToken: 3, attempts: 3, trigger: 'schedule' } as const;
    expect(trace({ sweep: once({ done: [{ type: 'closeExhausted', run }] }) })).toEqual(['Failed 11 ticket']);
  });

  test('a timeout', () => {
    expect(trace({ metrics: (minute) => (minute === AT ? ofRuns(minute, { TimedOut: 1, Failed: 0 }) : []) })).toEqual([
      'TimedOut 11 ticket',
    ]);
  });

  test('a watchdog that says nothing any more', () => {
    expect(trace({ sweep: (minute) => (minute >= AT ? 'none' : {}) })).toEqual(['WatchdogSilent 15 page']);
  });

  test('one sweep that is left out', () => {
    expect(trace({ sweep: (minute) => (minute === AT ? 'none' : {}) })).toEqual([]);
  });

  test('a watchdog that cannot act, three minutes on end and not before', () => {
    const failed = [{ action: { type: 'catchUp', key }, error: new Error('denied') }] as const;
    expect(trace({ sweep: (minute) => (minute === AT || minute === AT + 1 ? { failed } : {}) })).toEqual([]);
    expect(trace({ sweep: (minute) => (minute >= AT && minute < AT + 3 ? { failed } : {}) })).toEqual([
      'WatchdogFailing 13 ticket',
    ]);
  });

  test('an event in the dead-letter queue', () => {
    const [queue] = alarms.filter(({ name }) => name.endsWith('DeadLetters'));
    const metrics = aws('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { ...queue?.dimensions });
    expect(trace({ metrics })).toEqual(['DeadLetters 11 ticket']);
  });

  test.each([
    ['InvocationDroppedCount', 'Dropped 15 ticket'],
    ['TargetErrorCount', 'TargetErrors 15 ticket'],
  ])('%s', (name, expected) => {
    const [group] = alarms.filter(({ metricName }) => metricName === name);
    expect(trace({ metrics: aws('AWS/Scheduler', name, { ...group?.dimensions }) })).toEqual([expected]);
  });

  test('more than a tenth of a day that failed', () => {
    const [rate] = alarms.filter(({ name }) => name.endsWith('FailureRate'));
    expect(rate).toMatchObject({ statistic: 'Average', periodMs: 86_400_000, threshold: 0.1 });
  });
});
