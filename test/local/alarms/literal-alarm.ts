import { DateTime } from 'luxon';
import type { AlarmResource, AlarmState } from '../../../lib/local/assembly/resources.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface LiteralDatum {
  readonly metricName: string;
  readonly value: number;
  readonly at: number;
  readonly visibleAt: number;
}

/** CloudWatch's documentation of alarms, put into code sentence by sentence, with no thought of speed. */
export function literalChanges(
  alarm: AlarmResource,
  data: readonly LiteralDatum[],
  { createdAt, until, first }: { readonly createdAt: number; readonly until: number; readonly first: number },
): string[] {
  // Every minute; once an hour when the periods take more than a day in all.
  const every = alarm.periodMs * alarm.evaluationPeriods > DAY ? HOUR : MINUTE;
  const changes: string[] = [];
  const ofMetric = data.filter(({ metricName }) => metricName === alarm.metricName);
  let state: AlarmState = 'INSUFFICIENT_DATA';
  let isWarm = alarm.warmUp === undefined;
  for (let now = first; now <= until; now += every) {
    const visible = ofMetric.filter(({ visibleAt }) => visibleAt <= now);
    const datapoints = periods(alarm, now).map(({ from, to }) =>
      statistic(
        alarm.statistic,
        visible.filter(({ at }) => at >= from && at < to).map(({ value }) => value),
      ),
    );
    if (!isWarm && alarm.warmUp !== undefined) {
      const asked = datapoints.slice(datapoints.length - alarm.evaluationPeriods);
      const isFull = asked.every((value) => value !== undefined);
      isWarm = now - createdAt >= alarm.warmUp.durationMs || (!alarm.warmUp.isFixed && isFull);
    }
    if (!isWarm) continue;
    const next = literalState(alarm, datapoints, state);
    if (next !== state) changes.push(`${now} ${state} to ${next}`);
    state = next;
  }
  return changes;
}

interface Period {
  readonly from: number;
  readonly to: number;
}

/** The periods that are looked at, the oldest first: two more than the alarm asks for. */
function periods({ periodMs, evaluationPeriods, wallClock }: AlarmResource, now: number): Period[] {
  const count = evaluationPeriods + 2;
  if (wallClock !== undefined && periodMs >= HOUR) {
    const past = boundaries(periodMs, wallClock, now).filter((at) => at <= now);
    return past.slice(past.length - count - 1, -1).map((from, index, all) => ({
      from,
      to: all[index + 1] ?? (past.at(-1) as number),
    }));
  }
  const step = wallClock === undefined ? MINUTE : periodMs;
  const end = Math.floor(now / step) * step;
  return Array.from({ length: count }, (_, index) => {
    const to = end - (count - 1 - index) * periodMs;
    return { from: to - periodMs, to };
  });
}

const known = new Map<string, readonly number[]>();

/** Where hours, days or weeks of the zone begin, from weeks before the instant to days after it. */
function boundaries(periodMs: number, zone: string, now: number): readonly number[] {
  const key = `${Math.floor(now / (20 * DAY))} ${periodMs} ${zone}`;
  const answer = known.get(key);
  if (answer !== undefined) return answer;
  const found: number[] = [];
  const first = Math.floor(now / (20 * DAY)) * 20 * DAY - 35 * DAY;
  for (let at = first, before = calendarName(at - 1, periodMs, zone); at < first + 60 * DAY; at += 15 * MINUTE) {
    const name = calendarName(at, periodMs, zone);
    if (name !== before) found.push(at);
    before = name;
  }
  known.set(key, found);
  return found;
}

function calendarName(at: number, periodMs: number, zone: string): string {
  const wall = DateTime.fromMillis(at, { zone });
  if (periodMs === 7 * DAY) return wall.toFormat("kkkk-'W'WW");
  if (periodMs === DAY) return wall.toFormat('yyyy-MM-dd');
  return wall.toFormat('yyyy-MM-dd HH ZZ');
}

function statistic(name: string, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sum = values.reduce((total, value) => total + value, 0);
  if (name === 'SampleCount') return values.length;
  if (name === 'Average') return sum / values.length;
  if (name === 'Maximum') return Math.max(...values);
  if (name === 'Minimum') return Math.min(...values);
  if (name === 'p50') return [...values].sort((a, b) => a - b)[Math.ceil(values.length / 2) - 1];
  return sum;
}

export function literalState(
  alarm: Pick<AlarmResource, 'evaluationPeriods' | 'datapointsToAlarm' | 'threshold' | 'comparison' | 'missingData'>,
  datapoints: readonly (number | undefined)[],
  state: AlarmState,
): AlarmState {
  const isBreaching = (value: number): boolean => {
    if (alarm.comparison === 'GreaterThanThreshold') return value > alarm.threshold;
    if (alarm.comparison === 'GreaterThanOrEqualToThreshold') return value >= alarm.threshold;
    if (alarm.comparison === 'LessThanThreshold') return value < alarm.threshold;
    return value <= alarm.threshold;
  };
  const signs = datapoints.map((value) => (value === undefined ? '-' : isBreaching(value) ? 'X' : '0'));
  const real = signs.filter((sign) => sign !== '-');
  // As many real datapoints as the alarm asks for, or more: the most recent ones decide, and how missing data is treated
  // does not matter.
  if (real.length >= alarm.evaluationPeriods) {
    const recent = real.slice(real.length - alarm.evaluationPeriods);
    return recent.filter((sign) => sign === 'X').length >= alarm.datapointsToAlarm ? 'ALARM' : 'OK';
  }
  const breaching = real.filter((sign) => sign === 'X').length;
  // All real ones count, and only what lacks is filled up.
  const lacking = alarm.evaluationPeriods - real.length;
  if (alarm.missingData === 'notBreaching') return breaching >= alarm.datapointsToAlarm ? 'ALARM' : 'OK';
  if (alarm.missingData === 'breaching') return breaching + lacking >= alarm.datapointsToAlarm ? 'ALARM' : 'OK';
  if (breaching >= alarm.datapointsToAlarm) return 'ALARM';
  if (real.includes('0')) return 'OK';
  if (alarm.missingData === 'ignore') return state;
  if (real.length === 0) return 'INSUFFICIENT_DATA';
  // Premature: one breaching datapoint and nothing better since, for as long as the alarm asks.
  const age = signs.length - signs.indexOf('X');
  return age >= alarm.datapointsToAlarm ? 'ALARM' : 'OK';
}
