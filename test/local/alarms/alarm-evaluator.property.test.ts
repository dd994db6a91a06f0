import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AlarmEvaluator } from '../../../lib/local/alarms/alarm-evaluator.ts';
import { metricDelay, nextEvaluation } from '../../../lib/local/alarms/alarm-timing.ts';
import { evaluateAlarm } from '../../../lib/local/alarms/evaluate-alarm.ts';
import type { AlarmResource } from '../../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { literalChanges, literalState } from './literal-alarm.ts';

// The night in which Berlin goes back to winter time and, in the longer runs, days on both sides of it.
const FROM = Date.parse('2026-10-24T20:13:07Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York'] as const;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Horizon {
  readonly minutes: number;
  readonly periods: readonly number[];
  readonly mostPeriods: number;
  readonly mostData: number;
  readonly runs: number;
}

function ruleOf({ periods, mostPeriods }: Horizon) {
  return fc
    .record({
      metricName: fc.constantFrom('Failed', 'Late'),
      statistic: fc.constantFrom('Sum', 'Average', 'SampleCount', 'Maximum', 'Minimum', 'p50'),
      periodMs: fc.constantFrom(...periods),
      evaluationPeriods: fc.integer({ min: 1, max: mostPeriods }),
      datapointsToAlarm: fc.integer({ min: 1, max: mostPeriods }),
      threshold: fc.integer({ min: 0, max: 3 }),
      comparison: fc.constantFrom(
        'GreaterThanThreshold',
        'GreaterThanOrEqualToThreshold',
        'LessThanThreshold',
        'LessThanOrEqualToThreshold',
      ),
      missingData: fc.constantFrom('missing', 'ignore', 'breaching', 'notBreaching'),
      wallClock: fc.option(fc.constantFrom(...ZONES), { nil: undefined }),
      warmUp: fc.option(
        fc.record({ durationMs: fc.integer({ min: 1, max: 40 }).map((n) => n * MINUTE), isFixed: fc.boolean() }),
        { nil: undefined },
      ),
    })
    .map(
      ({ wallClock, warmUp, ...rule }): Omit<AlarmResource, 'name'> => ({
        ...rule,
        datapointsToAlarm: Math.min(rule.datapointsToAlarm, rule.evaluationPeriods),
        ...(wallClock === undefined ? {} : { wallClock }),
        ...(warmUp === undefined ? {} : { warmUp }),
        description: '',
        severity: 'warn',
        namespace: 'Belfry',
        dimensions: {},
        actions: { ALARM: [], OK: [], INSUFFICIENT_DATA: [] },
      }),
    );
}

const HORIZONS: readonly Horizon[] = [
  { minutes: 70, periods: [MINUTE, MINUTE, 5 * MINUTE], mostPeriods: 3, mostData: 60, runs: 150 },
  { minutes: 700, periods: [MINUTE, 5 * MINUTE, HOUR], mostPeriods: 4, mostData: 40, runs: 20 },
  { minutes: 5 * 1440, periods: [HOUR, DAY, 7 * DAY], mostPeriods: 2, mostData: 40, runs: 5 },
];

describe('alarms change as CloudWatch documents it, looked at literally', () => {
  test.each(HORIZONS)('over $minutes minutes', (horizon) => {
    const { minutes, mostData, runs } = horizon;
    fc.assert(
      fc.property(
        fc.integer(),
        fc.array(ruleOf(horizon), { minLength: 1, maxLength: 3 }),
        fc.array(
          fc.record({
            metricName: fc.constantFrom('Failed', 'Late'),
            value: fc.integer({ min: 0, max: 4 }),
            printedAt: fc.integer({ min: 0, max: minutes * MINUTE }),
            // How old it is when it is printed.
            age: fc.constantFrom(0, 0, 0, 0, MINUTE, 8 * MINUTE),
          }),
          { minLength: 1, maxLength: mostData },
        ),
        fc.integer({ min: 0, max: minutes }),
        (seed, rules, lines, reloadedAt) => {
          const alarms = rules.map((rule, index) => ({ ...rule, name: `alarm ${index}` }));
          const clock = new VirtualClock({ from: FROM });
          clock.pause();
          clock.start();
          const changes = new Map(alarms.map(({ name }) => [name, [] as string[]]));
          const evaluator = new AlarmEvaluator({
            clock,
            alarms,
            seed,
            onChange: ({ alarm, from, state, at }) => changes.get(alarm.name)?.push(`${at} ${from} to ${state}`),
          });
          evaluator.start();
          const data = lines.map(({ metricName, value, printedAt, age }) => {
            const at = FROM + printedAt - age;
            clock.schedule(FROM + printedAt, () =>
              evaluator.add({ namespace: 'Belfry', name: metricName, dimensions: {}, value, at }),
            );
            return { metricName, value, at, visibleAt: FROM + printedAt + metricDelay(at, seed) };
          });
          const until = FROM + minutes * MINUTE;
          clock.schedule(FROM + reloadedAt * MINUTE, () => evaluator.setAlarms(alarms.map((alarm) => ({ ...alarm }))));
          clock.schedule(until, () => {});
          while ((clock.nextEventAt ?? until + 1) <= until) clock.step();
          evaluator.stop();
          for (const alarm of alarms) {
            const first = nextEvaluation(alarm, FROM + 1, seed);
            expect(changes.get(alarm.name)).toEqual(literalChanges(alarm, data, { createdAt: FROM, until, first }));
          }
        },
      ),
      { numRuns: runs },
    );
  });
});

test('one evaluation is the documented one, for every row of datapoints', () => {
  const rule = ruleOf({ minutes: 1, periods: [MINUTE], mostPeriods: 5, mostData: 0, runs: 0 });
  const value = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
  fc.assert(
    fc.property(
      rule,
      fc.array(value, { minLength: 7, maxLength: 7 }),
      fc.constantFrom('OK', 'ALARM', 'INSUFFICIENT_DATA'),
      (alarm, all, before) => {
        const datapoints = all.slice(all.length - alarm.evaluationPeriods - 2);
        expect(evaluateAlarm(alarm, datapoints, before).state).toBe(literalState(alarm, datapoints, before));
      },
    ),
    { numRuns: 1_000 },
  );
});
