import type { Schedule } from '../schedule/schedule.ts';
import { type AwsSchedule, isMeant } from './aws-schedule.ts';
import { parseAwsExpression } from './parse-aws-expression.ts';

/**
 * The instants after `from` (exclusive) up to `to` (inclusive) at which the schedule is due and EventBridge Scheduler
 * will not fire: it skips a gap and fires a repeated hour once. Lazily, in order.
 */
export function supplementsBetween(
  schedule: Schedule,
  awsSchedules: readonly AwsSchedule[],
  from: number,
  to: number,
): Iterable<number> {
  return difference(schedule.between(from, to), firingsBetween(awsSchedules, from, to));
}

/**
 * The instants at which EventBridge Scheduler fires and the schedule is not due: the first pass of a repeated hour under
 * `fold: second`. What runs the job must let these go by.
 */
export function surplusBetween(
  schedule: Schedule,
  awsSchedules: readonly AwsSchedule[],
  from: number,
  to: number,
): Iterable<number> {
  return difference(firingsBetween(awsSchedules, from, to), schedule.between(from, to));
}

/**
 * Every instant at which at least one of the schedules fires and its firing counts, once, in order. What a schedule fires
 * beside its `everyMs` is left out: whatever is fired lets it go by.
 */
export function* firingsBetween(
  awsSchedules: readonly AwsSchedule[],
  from: number,
  to: number,
): Generator<number, void, undefined> {
  const schedules = awsSchedules.map(nextFiringOf);
  const upcoming = schedules.map((next) => next(from));
  while (true) {
    let first: number | undefined;
    for (const instant of upcoming) {
      if (instant !== undefined && (first === undefined || instant < first)) {
        first = instant;
      }
    }
    if (first === undefined || first > to) {
      return;
    }
    yield first;
    for (let index = 0; index < schedules.length; index++) {
      if (upcoming[index] === first) {
        upcoming[index] = schedules[index]?.(first);
      }
    }
  }
}

function nextFiringOf({ expression, timeZone, startAt, everyMs }: AwsSchedule): (after: number) => number | undefined {
  const schedule = parseAwsExpression(expression, timeZone, startAt === undefined ? {} : { startAt });
  if (everyMs === undefined) {
    return (after) => schedule.next(after);
  }
  return (after) => {
    let instant = schedule.next(after);
    while (instant !== undefined && !isMeant(instant, everyMs)) {
      // No firing before the next multiple counts.
      instant = schedule.next(Math.ceil(instant / everyMs) * everyMs - 1);
    }
    return instant;
  };
}

/**
 * The same `rate()` with a StartDate at or after `notBefore`, on one of its own instants; other schedules as they are.
 */
export function firstStartFrom(awsSchedule: AwsSchedule, notBefore: number): AwsSchedule {
  if (awsSchedule.startAt === undefined || awsSchedule.startAt >= notBefore) {
    return awsSchedule;
  }
  const { expression, timeZone, startAt } = awsSchedule;
  const next = parseAwsExpression(expression, timeZone, { startAt }).next(notBefore - 1);
  return next === undefined ? awsSchedule : { expression, timeZone, startAt: next };
}

function* difference(wanted: Iterable<number>, given: Iterable<number>): Generator<number, void, undefined> {
  const others = given[Symbol.iterator]();
  let other = others.next();
  for (const instant of wanted) {
    while (other.done !== true && other.value < instant) {
      other = others.next();
    }
    if (other.done === true || other.value !== instant) {
      yield instant;
    }
  }
}
