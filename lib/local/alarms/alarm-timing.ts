import { DateTime, type DateTimeUnit } from 'luxon';
import { textHash } from '../../domain/text-hash.ts';
import type { AlarmResource } from '../assembly/resources.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long CloudWatch takes from a line in a log, or a call of a service, to a metric that alarms see. */
export const METRIC_DELAY_MS = { least: 20_000, most: 60_000 } as const;

/** From an alarm's change of state to the message at its topic. */
export const MESSAGE_DELAY_MS = 1_000;

/** The delay of what was printed at this instant: the same in each run with the same seed. */
export function metricDelay(at: number, seed: number): number {
  const { least, most } = METRIC_DELAY_MS;
  return least + (textHash(`${seed} ${at}`) % (most - least + 1));
}

type Timing = Pick<AlarmResource, 'name' | 'periodMs' | 'evaluationPeriods'>;

/**
 * The alarm's first evaluation at or after an instant. CloudWatch evaluates an alarm once a minute, and once an hour when
 * its periods take more than a day in all; when within the minute or the hour is not documented, so it is any second here.
 */
export function nextEvaluation({ name, periodMs, evaluationPeriods }: Timing, from: number, seed: number): number {
  const every = periodMs * evaluationPeriods > DAY_MS ? HOUR_MS : MINUTE_MS;
  const offset = Math.floor((textHash(`${seed} ${name}`) % every) / 1000) * 1000;
  return Math.ceil((from - offset) / every) * every + offset;
}

/**
 * CloudWatch retrieves more periods than the alarm asks for, so that a few late or missing datapoints do not decide.
 * It documents five for three periods of any length, and about three days for one period of a day: two more.
 */
export function evaluationRange({ evaluationPeriods }: Pick<AlarmResource, 'evaluationPeriods'>): number {
  return evaluationPeriods + 2;
}

type Window = Pick<AlarmResource, 'periodMs' | 'evaluationPeriods' | 'wallClock'>;

/** Where the periods of the alarm's evaluation range begin, the oldest first, and where the last one ends. */
export function rangeBounds(alarm: Window, now: number): readonly number[] {
  const { periodMs, wallClock } = alarm;
  const count = evaluationRange(alarm);
  if (wallClock !== undefined) return wallClockBounds(periodMs, wallClock, count, now);
  // A sliding window: its end moves with each evaluation, whatever the period.
  const end = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  return Array.from({ length: count + 1 }, (_, index) => end - (count - index) * periodMs);
}

const UNITS: { readonly [period: number]: DateTimeUnit } = { [HOUR_MS]: 'hour', [DAY_MS]: 'day', [7 * DAY_MS]: 'week' };

function wallClockBounds(periodMs: number, zone: string, count: number, now: number): readonly number[] {
  const unit = UNITS[periodMs];
  if (unit === undefined) {
    // Offsets from UTC are multiples of five minutes, so minutes and fives of them begin everywhere at the same instants.
    const end = Math.floor(now / periodMs) * periodMs;
    return Array.from({ length: count + 1 }, (_, index) => end - (count - index) * periodMs);
  }
  const bounds: number[] = [];
  for (let at = DateTime.fromMillis(now, { zone }).startOf(unit); bounds.length <= count; ) {
    bounds.unshift(at.toMillis());
    at = at.minus(1).startOf(unit);
  }
  return bounds;
}
