import { dayOf, daysInMonth, weekdayOf } from '../time/civil-date.ts';

/**
 * Which days of a month are meant. Sets of days have day d in bit d - 1, sets of weekdays have Sunday in bit 0.
 * When both sides are restricted a day on either is meant.
 */
export interface DayRule {
  /** Whether the day-of-month text is anything but `*` or `?`. */
  readonly monthDaysRestricted: boolean;
  readonly monthDays: number;
  /** `L`. */
  readonly lastDay: boolean;
  /** `LW`: the last day from Monday to Friday. */
  readonly lastWorkday: boolean;
  /** `nW`: the day from Monday to Friday that is nearest to day n, in the same month. */
  readonly nearestWorkdays: number;
  /** `L-n`: n days before the last day. */
  readonly daysBeforeLast: number;
  readonly weekdaysRestricted: boolean;
  readonly weekdays: number;
  /** `d#n`: entry n - 1 has the weekdays whose n-th is meant. */
  readonly nthWeekdays: readonly number[];
  /** `dL`: weekdays whose last is meant. */
  readonly lastWeekdays: number;
}

/** A month as the calendar sees it: its length and the weekday of its first day. There are 28 of them. */
export const MONTH_SHAPES = 28;

export function shapeOf(year: number, month: number): number {
  return (daysInMonth(year, month) - 28) * 7 + weekdayOf(dayOf(year, month, 1));
}

export function lengthOfShape(shape: number): number {
  return 28 + Math.floor(shape / 7);
}

/** The days of a month of this shape that the rule means. */
export function daysMeant(rule: DayRule, shape: number): number {
  const length = 28 + ((shape / 7) | 0);
  const all = length === 31 ? 0x7fffffff : (1 << length) - 1;
  if (rule.monthDaysRestricted) {
    return (
      (monthDaysMeant(rule, shape, length) | (rule.weekdaysRestricted ? weekdaysMeant(rule, shape, length) : 0)) & all
    );
  }
  return (rule.weekdaysRestricted ? weekdaysMeant(rule, shape, length) : all) & all;
}

function monthDaysMeant(rule: DayRule, shape: number, length: number): number {
  let days = rule.monthDays;
  if (rule.lastDay) {
    days |= 1 << (length - 1);
  }
  if (rule.lastWorkday) {
    days |= 1 << (nearestWorkday(length, length, shape) - 1);
  }
  for (let before = 1; before < length && rule.daysBeforeLast >> before !== 0; before++) {
    if ((rule.daysBeforeLast >> before) & 1) {
      days |= 1 << (length - 1 - before);
    }
  }
  for (let day = 1; day <= length && rule.nearestWorkdays >> (day - 1) !== 0; day++) {
    if ((rule.nearestWorkdays >> (day - 1)) & 1) {
      days |= 1 << (nearestWorkday(day, length, shape) - 1);
    }
  }
  return days;
}

/** Weekday of a day in a month of the shape. */
export function weekdayInShape(shape: number, day: number): number {
  return ((shape % 7) + day - 1) % 7;
}

function nearestWorkday(day: number, length: number, shape: number): number {
  const weekday = weekdayInShape(shape, day);
  if (weekday === 6) {
    return day === 1 ? 3 : day - 1;
  }
  if (weekday === 0) {
    return day === length ? day - 2 : day + 1;
  }
  return day;
}

function weekdaysMeant(rule: DayRule, shape: number, length: number): number {
  let days = everyWeek(rule.weekdays, shape);
  for (let week = 0; week < rule.nthWeekdays.length; week++) {
    const weekdays = rule.nthWeekdays[week] as number;
    if (weekdays !== 0) {
      days |= everyWeek(weekdays, shape) & (0x7f << (week * 7));
    }
  }
  if (rule.lastWeekdays !== 0) {
    days |= everyWeek(rule.lastWeekdays, shape) & (0x7f << (length - 7));
  }
  return days;
}

/** The days of a month whose weekday is in the set: seven bits turned to the month's first weekday, repeated. */
function everyWeek(weekdays: number, shape: number): number {
  const first = shape % 7;
  const turned = ((weekdays >> first) | (weekdays << (7 - first))) & 0x7f;
  return turned | (turned << 7) | (turned << 14) | (turned << 21) | ((turned & 7) << 28);
}
