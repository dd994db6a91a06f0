import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AlarmEvaluator } from '../../../lib/local/alarms/alarm-evaluator.ts';
import { readEmbeddedMetrics } from '../../../lib/local/alarms/embedded-metrics.ts';
import { computeStatistic } from '../../../lib/local/alarms/metric-store.ts';
import type { AlarmResource } from '../../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';

const FROM = Date.parse('2026-10-31T23:00:00Z');
const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

function watch(overrides: Partial<AlarmResource>) {
  const alarm: AlarmResource = {
    name: 'missed',
    description: '',
    severity: 'warn',
    namespace: 'Belfry',
    metricName: 'Missed',
    dimensions: { Environment: 'dev' },
    statistic: 'Sum',
    periodMs: MINUTE,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
    threshold: 1,
    comparison: 'GreaterThanOrEqualToThreshold',
    missingData: 'notBreaching',
    ...overrides,
  };
  const clock = new VirtualClock({ from: FROM, speed: 60 });
  const changes: string[] = [];
  const evaluator = new AlarmEvaluator({
    clock,
    alarms: [alarm],
    onChange: (change) => changes.push(`${(change.at - FROM) / MINUTE} ${change.state}`),
  });
  evaluator.start();
  clock.start();
  const add = (minute: number, value: number, dimensions: Record<string, string> = { Environment: 'dev' }) =>
    evaluator.add({
      namespace: 'Belfry',
      name: alarm.metricName,
      dimensions,
      value,
      at: FROM + minute * MINUTE + 5_000,
    });
  /** One minute takes a second. */
  const minutes = (count: number) => {
    for (let step = 0; step < count * 10; step++) vi.advanceTimersByTime(100);
  };
  return { add, minutes, changes };
}

it('goes to alarm at the end of the minute that breached, and back when that is out of sight', () => {
  const { add, minutes, changes } = watch({});
  add(0, 1);
  minutes(6);
  expect(changes).toEqual(['1 ALARM', '4 OK']);
});

it('counts only the data with its own dimensions', () => {
  const { add, minutes, changes } = watch({});
  add(0, 1, { Environment: 'prod' });
  add(0, 1, { Environment: 'dev', Job: 'beat' });
  minutes(3);
  expect(changes).toEqual(['1 OK']);
});

it('notices a heartbeat that stops, not one that has not begun', () => {
  const { add, minutes, changes } = watch({
    metricName: 'WatchdogHeartbeat',
    statistic: 'SampleCount',
    comparison: 'LessThanThreshold',
    evaluationPeriods: 3,
    datapointsToAlarm: 3,
    missingData: 'breaching',
  });
  for (let minute = 0; minute < 8; minute++) {
    add(minute, 1);
    minutes(1);
  }
  expect(changes).toEqual(['5 OK']);
  minutes(6);
  expect(changes).toEqual(['5 OK', '13 ALARM']);
});

it('sums over the whole of a longer period, aligned to it', () => {
  const { add, minutes, changes } = watch({ periodMs: 5 * MINUTE, threshold: 3 });
  for (const minute of [0, 2, 4]) add(minute, 1);
  minutes(4);
  expect(changes).toEqual(['1 OK']);
  minutes(1);
  expect(changes).toEqual(['1 OK', '5 ALARM']);
});

it('reads embedded metrics: every set of dimensions, single values and lists', () => {
  const line = {
    _aws: {
      Timestamp: FROM,
      CloudWatchMetrics: [
        {
          Namespace: 'Belfry',
          Dimensions: [['Environment'], ['Environment', 'Job']],
          Metrics: [{ Name: 'Failed' }, { Name: 'Lateness' }, { Name: 'Absent' }],
        },
      ],
    },
    Environment: 'dev',
    Job: 'beat',
    Failed: 1,
    Lateness: [5, 7],
  };
  expect(
    [...readEmbeddedMetrics(line)].map(({ name, dimensions, value }) => [name, Object.keys(dimensions).length, value]),
  ).toEqual([
    ['Failed', 1, 1],
    ['Lateness', 1, 5],
    ['Lateness', 1, 7],
    ['Failed', 2, 1],
    ['Lateness', 2, 5],
    ['Lateness', 2, 7],
  ]);
  expect([...readEmbeddedMetrics({ _aws: { CloudWatchMetrics: [] } })]).toEqual([]);
});

it('computes the statistics of CloudWatch', () => {
  const values = [5, 1, 4, 2, 3];
  expect(
    ['SampleCount', 'Sum', 'Average', 'Minimum', 'Maximum', 'p50', 'p90', 'p99.9'].map((name) =>
      computeStatistic(values, name),
    ),
  ).toEqual([5, 15, 3, 1, 5, 3, 5, 5]);
});
