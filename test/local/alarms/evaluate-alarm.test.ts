import { expect, it } from 'vitest';
import { evaluationRange } from '../../../lib/local/alarms/alarm-timing.ts';
import { evaluateAlarm } from '../../../lib/local/alarms/evaluate-alarm.ts';
import type { AlarmResource, AlarmState } from '../../../lib/local/assembly/resources.ts';

type Rule = Pick<
  AlarmResource,
  'evaluationPeriods' | 'datapointsToAlarm' | 'threshold' | 'comparison' | 'missingData' | 'metricName'
>;

function rule(datapointsToAlarm: number, missingData: AlarmResource['missingData']): Rule {
  return {
    evaluationPeriods: 3,
    datapointsToAlarm,
    threshold: 0,
    comparison: 'GreaterThanThreshold',
    missingData,
    metricName: 'Failed',
  };
}

/** `X` breaches, `0` does not, `-` is missing; the oldest first. */
function datapoints(text: string): (number | undefined)[] {
  return text.split(' ').map((sign) => (sign === '-' ? undefined : sign === 'X' ? 1 : 0));
}

// CloudWatch's own tables of how missing data is treated: datapoints in the evaluation range, then the state under
// missing, ignore (which keeps the state before), breaching, notBreaching.
const KEPT = 'kept';
it.each([
  [3, '0 - X - X', 'OK', 'OK', 'OK', 'OK'],
  [3, '- - - - 0', 'OK', 'OK', 'OK', 'OK'],
  [3, '- - - - -', 'INSUFFICIENT_DATA', KEPT, 'ALARM', 'OK'],
  [3, '0 X X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  [3, '- - X - -', 'ALARM', KEPT, 'ALARM', 'OK'],
  // Too early: the next datapoint may be better.
  [3, '- - - X -', 'OK', KEPT, 'ALARM', 'OK'],
  [3, '- - - - X', 'OK', KEPT, 'ALARM', 'OK'],
  [2, '0 - X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  [2, '0 0 X 0 X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  [2, '0 - X - -', 'OK', 'OK', 'ALARM', 'OK'],
  [2, '- - - - 0', 'OK', 'OK', 'ALARM', 'OK'],
  [2, '- - - X -', 'ALARM', KEPT, 'ALARM', 'OK'],
])('%i of 3 datapoints, %s', (needed, text, ...expected) => {
  const treatments = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;
  for (const before of ['OK', 'ALARM'] satisfies AlarmState[]) {
    const states = treatments.map(
      (treatment) => evaluateAlarm(rule(needed, treatment), datapoints(text), before).state,
    );
    expect(states).toEqual(expected.map((state) => (state === KEPT ? before : state)));
  }
});

it('compares as it is told', () => {
  const states = (comparison: AlarmResource['comparison']) =>
    [4, 5, 6].map((value) => {
      const alarm = { ...rule(1, 'missing'), evaluationPeriods: 1, threshold: 5, comparison };
      return evaluateAlarm(alarm, [value], 'OK').state === 'ALARM';
    });
  expect(states('GreaterThanThreshold')).toEqual([false, false, true]);
  expect(states('GreaterThanOrEqualToThreshold')).toEqual([false, true, true]);
  expect(states('LessThanThreshold')).toEqual([true, false, false]);
  expect(states('LessThanOrEqualToThreshold')).toEqual([true, true, false]);
});

it('looks two periods further back than it is asked to', () => {
  expect(evaluationRange({ evaluationPeriods: 3 })).toBe(5);
});

it('says what it saw', () => {
  expect(evaluateAlarm(rule(2, 'breaching'), [undefined, 2, undefined, undefined, 0], 'OK').reason).toBe(
    'Failed > 0 in 1 of 3 periods (2, 0; 1 missing), missing data counts as breaching',
  );
});
