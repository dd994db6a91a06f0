import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AlarmEvaluator } from '../../../lib/local/alarms/alarm-evaluator.ts';
import type { MetricDatum } from '../../../lib/local/alarms/embedded-metrics.ts';
import { type AlarmState, evaluateAlarm, evaluationRange } from '../../../lib/local/alarms/evaluate-alarm.ts';
import { computeStatistic } from '../../../lib/local/alarms/metric-store.ts';
import type { AlarmResource } from '../../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';

const FROM = Date.parse('2026-10-31T23:03:00Z');
const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Evaluates every alarm every minute on all the data there has ever been. */
class PlainEvaluator {
  readonly #data: MetricDatum[] = [];
  readonly #states = new Map<string, AlarmState>();

  add(datum: MetricDatum): void {
    this.#data.push(datum);
  }

  evaluate(alarms: readonly AlarmResource[], now: number): string[] {
    return alarms.flatMap((alarm) => {
      const end = Math.floor(now / alarm.periodMs) * alarm.periodMs;
      const start = end - evaluationRange(alarm) * alarm.periodMs;
      if (alarm.missingData === 'breaching' && start < FROM) return [];
      const datapoints: (number | undefined)[] = [];
      for (let from = start; from < end; from += alarm.periodMs) datapoints.push(this.#statistic(alarm, from));
      const before = this.#states.get(alarm.name) ?? 'INSUFFICIENT_DATA';
      const { state, reason } = evaluateAlarm(alarm, datapoints, before);
      this.#states.set(alarm.name, state);
      return state === before ? [] : [told(now, alarm, state, reason)];
    });
  }

  #statistic({ metricName, dimensions, statistic, periodMs }: AlarmResource, from: number): number | undefined {
    const values = this.#data
      .filter(({ name, dimensions: { Job } }) => name === metricName && Job === dimensions.Job)
      .filter(({ at }) => at >= from && at < from + periodMs)
      .map(({ value }) => value);
    return values.length === 0 ? undefined : computeStatistic(values, statistic);
  }
}

function told(at: number, alarm: AlarmResource, state: AlarmState, reason: string): string {
  return `${(at - FROM) / MINUTE} ${alarm.name} ${state}: ${reason}`;
}

const name = fc.constantFrom('Failed', 'Late');
const job = fc.constantFrom('beat', 'report');

const alarmRule = fc.record({
  metricName: name,
  dimensions: job.map((Job) => ({ Job })),
  statistic: fc.constantFrom('Sum', 'Average', 'SampleCount', 'Maximum'),
  periodMs: fc.constantFrom(1, 1, 2, 5, 15).map((minutes) => minutes * MINUTE),
  evaluationPeriods: fc.integer({ min: 1, max: 3 }),
  datapointsToAlarm: fc.integer({ min: 1, max: 2 }),
  threshold: fc.integer({ min: 0, max: 3 }),
  comparison: fc.constantFrom('GreaterThanThreshold', 'LessThanOrEqualToThreshold'),
  missingData: fc.constantFrom('missing', 'ignore', 'breaching', 'notBreaching'),
});

/** What comes within one minute: how long after it was measured, in minutes. */
const minuteOfData = fc.oneof(
  fc.constant([]),
  fc.array(
    fc.record({ name, job, value: fc.integer({ min: 0, max: 4 }), late: fc.constantFrom(0, 0, 0, 1, 3, 8, 20) }),
    {
      maxLength: 3,
    },
  ),
);

test('alarms change as if each was evaluated every minute on all data', () => {
  fc.assert(
    fc.property(
      fc.array(alarmRule, { minLength: 1, maxLength: 4 }),
      fc.array(minuteOfData, { minLength: 30, maxLength: 60 }),
      fc.integer({ min: 0, max: 60 }),
      (rules, minutes, reloadedAt) => {
        const declare = (): AlarmResource[] =>
          rules.map((rule, index) => ({
            ...rule,
            name: `alarm ${index}`,
            description: '',
            severity: 'warn',
            namespace: 'Belfry',
            datapointsToAlarm: Math.min(rule.datapointsToAlarm, rule.evaluationPeriods),
          }));
        let alarms = declare();
        const clock = new VirtualClock({ from: FROM });
        const changes: string[] = [];
        const evaluator = new AlarmEvaluator({
          clock,
          alarms,
          onChange: ({ at, alarm, state, reason }) => changes.push(told(at, alarm, state, reason)),
        });
        const plain = new PlainEvaluator();
        const expected: string[] = [];
        clock.pause();
        clock.start();
        evaluator.start();
        for (const [index, data] of minutes.entries()) {
          if (index === reloadedAt) {
            alarms = declare();
            evaluator.setAlarms(alarms);
          }
          for (const { name, job, value, late } of data) {
            const at = FROM + (index - late) * MINUTE + 1_000;
            const datum = { namespace: 'Belfry', name, dimensions: { Job: job }, value, at };
            evaluator.add(datum);
            plain.add(datum);
          }
          const now = clock.step() ?? Number.NaN;
          expected.push(...plain.evaluate(alarms, now));
        }
        evaluator.stop();
        expect(changes).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});
