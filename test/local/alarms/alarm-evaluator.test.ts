import { describe, expect, it } from 'vitest';
import { AlarmEvaluator } from '../../../lib/local/alarms/alarm-evaluator.ts';
import { metricDelay, nextEvaluation } from '../../../lib/local/alarms/alarm-timing.ts';
import { readEmbeddedMetrics } from '../../../lib/local/alarms/embedded-metrics.ts';
import { computeStatistic } from '../../../lib/local/alarms/metric-series.ts';
import type { AlarmResource } from '../../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { stepTo } from '../../support/step-clock.ts';

const FROM = Date.parse('2026-10-31T23:00:00Z');
const MINUTE = 60_000;

const ALARM: AlarmResource = {
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
  actions: { ALARM: ['topic'], OK: [], INSUFFICIENT_DATA: [] },
};

function watch(overrides: Partial<AlarmResource>) {
  const alarm = { ...ALARM, ...overrides };
  const clock = new VirtualClock({ from: FROM });
  clock.pause();
  clock.start();
  const changes: string[] = [];
  const messages: string[] = [];
  const evaluator = new AlarmEvaluator({
    clock,
    alarms: [alarm],
    onChange: ({ at, state }) => changes.push(`${Math.floor((at - FROM) / MINUTE)} ${state}`),
    onMessage: ({ at, state, topicArn }) => messages.push(`${at - FROM} ${state} ${topicArn}`),
  });
  evaluator.start();
  const add = (minute: number, value: number, dimensions: Record<string, string> = { Environment: 'dev' }) => {
    const at = FROM + minute * MINUTE + 5_000;
    evaluator.add({ namespace: 'Belfry', name: alarm.metricName, dimensions, value, at });
  };
  const until = (minute: number) => stepTo(clock, FROM + minute * MINUTE);
  const offset = nextEvaluation(alarm, FROM, 0) - FROM;
  return { add, until, changes, messages, offset };
}

it('looks at a minute when it has ended, its data has come, and its own second is there', () => {
  const { add, until, changes, messages, offset } = watch({});
  add(0, 1);
  until(10);
  // The datum of 0:05 is there at 1:05 at the latest; three periods later it is out of sight.
  const seen = Math.ceil((metricDelay(FROM + 5_000, 0) + 5_000 - offset) / MINUTE);
  expect(seen).toBe(1);
  expect(changes).toEqual(['0 OK', '1 ALARM', '4 OK']);
  expect(messages).toEqual([`${MINUTE + offset + 1_000} ALARM topic`]);
});

it('never looks at a datum that comes after a newer one, when it asks for one period', () => {
  const late = watch({});
  late.until(3.9);
  late.add(1, 1);
  late.add(2, 0);
  late.add(3, 0);
  late.until(9);
  expect(late.changes).toEqual(['0 OK']);

  const oneOfThree = watch({ evaluationPeriods: 3 });
  oneOfThree.until(3.9);
  oneOfThree.add(1, 1);
  oneOfThree.add(2, 0);
  oneOfThree.add(3, 0);
  oneOfThree.until(9);
  expect(oneOfThree.changes.slice(0, 2)).toEqual(['0 OK', '5 ALARM']);
});

it('counts only the data with its own dimensions', () => {
  const { add, until, changes } = watch({});
  add(0, 1, { Environment: 'prod' });
  add(0, 1, { Environment: 'dev', Job: 'beat' });
  until(4);
  expect(changes).toEqual(['0 OK']);
});

describe('a heartbeat', () => {
  const HEARTBEAT: Partial<AlarmResource> = {
    metricName: 'WatchdogHeartbeat',
    comparison: 'LessThanThreshold',
    missingData: 'breaching',
  };
  const beats = (alarm: Partial<AlarmResource>, from: number, to: number, until: number) => {
    const world = watch({ ...HEARTBEAT, ...alarm });
    for (let minute = from; minute < to; minute++) world.add(minute, 1);
    world.until(until);
    return world.changes;
  };

  it('that has not begun rings at the first evaluation', () => {
    expect(beats({}, 5, 20, 20)).toEqual(['0 ALARM', '6 OK']);
  });

  it('that has not begun does not ring while the alarm warms up, and the warm-up ends with the first beat', () => {
    const warmUp = { durationMs: 15 * MINUTE, isFixed: false };
    expect(beats({ warmUp }, 5, 12, 20)).toEqual(['6 OK', '15 ALARM']);
    expect(beats({ warmUp: { ...warmUp, isFixed: true } }, 5, 20, 20)).toEqual(['15 OK']);
    expect(beats({ warmUp }, 5, 5, 20)).toEqual(['15 ALARM']);
  });

  it('that stops rings when the whole evaluation range is without data: two periods more than asked for', () => {
    expect(beats({}, 0, 8, 20)).toEqual(['0 ALARM', '1 OK', '11 ALARM']);
    expect(beats({ evaluationPeriods: 3, datapointsToAlarm: 3 }, 0, 8, 20)).toEqual(['0 ALARM', '1 OK', '13 ALARM']);
  });
});

it('moves its periods on with every evaluation, and is evaluated once an hour when they take more than a day', () => {
  const sliding = watch({ periodMs: 5 * MINUTE, threshold: 3 });
  for (const minute of [3, 5, 7]) sliding.add(minute, 1);
  sliding.until(9);
  // From minute 3 to minute 7: no five minutes of the clock.
  expect(sliding.changes).toEqual(['0 OK', '8 ALARM']);

  const wallClock = watch({ periodMs: 5 * MINUTE, threshold: 3, wallClock: 'UTC' });
  for (const minute of [3, 5, 7]) wallClock.add(minute, 1);
  wallClock.until(30);
  expect(wallClock.changes).toEqual(['0 OK']);

  const hourly = watch({ periodMs: 24 * 60 * MINUTE, evaluationPeriods: 2 });
  hourly.add(1, 1);
  hourly.until(300);
  const [first] = hourly.changes;
  expect(Math.floor(hourly.offset / MINUTE)).toBe(Number(first?.split(' ')[0]));
  expect(hourly.offset).toBeGreaterThan(MINUTE);
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
