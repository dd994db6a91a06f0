import type { AlarmResource, AlarmState, ComparisonOperator } from '../assembly/resources.ts';

export interface Evaluation {
  readonly state: AlarmState;
  readonly reason: string;
}

/**
 * One evaluation, by CloudWatch's table of missing data.
 * @param datapoints one per period of the evaluation range, the oldest first; undefined where there is no data
 */
export function evaluateAlarm(
  alarm: Pick<
    AlarmResource,
    'evaluationPeriods' | 'datapointsToAlarm' | 'threshold' | 'comparison' | 'missingData' | 'metricName'
  >,
  datapoints: readonly (number | undefined)[],
  state: AlarmState,
): Evaluation {
  const present = datapoints.filter((value) => value !== undefined).slice(-alarm.evaluationPeriods);
  const breaching = present.filter((value) => breaches(value, alarm.comparison, alarm.threshold)).length;
  const missing = alarm.evaluationPeriods - present.length;
  // It is put into words when somebody asks, which is when the state has become another.
  const found = (newState: AlarmState, more = ''): Evaluation => ({
    state: newState,
    get reason() {
      return `${describe(alarm, present, breaching, missing)}${more}`;
    },
  });
  const needed = alarm.datapointsToAlarm;
  if (breaching >= needed) return found('ALARM');
  if (missing === 0) return found('OK');
  switch (alarm.missingData) {
    case 'breaching':
      return found(breaching + missing >= needed ? 'ALARM' : 'OK', ', missing data counts as breaching');
    case 'notBreaching':
      return found('OK', ', missing data counts as not breaching');
    case 'ignore':
      return found(breaching === present.length ? state : 'OK', ', missing data is ignored');
    case 'missing': {
      if (present.length === 0) return found('INSUFFICIENT_DATA');
      // All that is known breaches. It rings once that has lasted for as long as the alarm asks, and not before: the
      // next datapoint may be better.
      const oldest = datapoints.length - datapoints.findIndex((value) => value !== undefined);
      return found(breaching === present.length && oldest >= needed ? 'ALARM' : 'OK');
    }
  }
}

function breaches(value: number, comparison: ComparisonOperator, threshold: number): boolean {
  switch (comparison) {
    case 'GreaterThanThreshold':
      return value > threshold;
    case 'GreaterThanOrEqualToThreshold':
      return value >= threshold;
    case 'LessThanThreshold':
      return value < threshold;
    case 'LessThanOrEqualToThreshold':
      return value <= threshold;
  }
}

const SIGNS: { readonly [Operator in ComparisonOperator]: string } = {
  GreaterThanThreshold: '>',
  GreaterThanOrEqualToThreshold: '>=',
  LessThanThreshold: '<',
  LessThanOrEqualToThreshold: '<=',
};

function describe(
  alarm: Pick<AlarmResource, 'metricName' | 'comparison' | 'threshold' | 'evaluationPeriods'>,
  present: readonly number[],
  breaching: number,
  missing: number,
): string {
  const values = present.map((value) => Number(value.toFixed(3))).join(', ');
  const condition = `${alarm.metricName} ${SIGNS[alarm.comparison]} ${alarm.threshold}`;
  return `${condition} in ${breaching} of ${alarm.evaluationPeriods} periods (${values === '' ? 'no data' : values}${missing > 0 && values !== '' ? `; ${missing} missing` : ''})`;
}
