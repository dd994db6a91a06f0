import { daysInMonth, FIRST_YEAR, LAST_YEAR } from '../time/civil-date.ts';
import { type DayRule, daysMeant, lengthOfShape, MONTH_SHAPES, shapeOf } from './day-rule.ts';
import type { FieldSet } from './field-set.ts';

/** What a cron expression says about the wall clock; it knows neither zones nor instants. */
export interface CronRule {
  readonly minutes: FieldSet;
  readonly hours: FieldSet;
  /** Month m in bit m - 1. */
  readonly months: number;
  readonly days: DayRule;
  /** Years in which the rule holds, ascending; all of them if absent. */
  readonly years?: readonly number[];
  /** Whether the hour text starts with `*`: then people mean an interval, and the hour that is shown twice counts twice. */
  readonly isInterval: boolean;
}

export const ALL_MONTHS = 0xfff;
const SHORTEST_MONTH = 28;

/** Days of the month in which the rule holds, as a set of bits; none outside its years and months. */
export function ruleDaysIn(rule: CronRule, year: number, month: number): number {
  if (((rule.months >> (month - 1)) & 1) === 0 || (rule.years !== undefined && !rule.years.includes(year))) {
    return 0;
  }
  return daysMeant(rule.days, shapeOf(year, month));
}

/**
 * Whether there is a day on which the rule holds. Answered from the calendar: every month comes in few shapes, and each
 * shape recurs within 1970 to 2199, so no search through the years is needed.
 */
export function canHold(rule: CronRule): boolean {
  if (rule.years !== undefined) {
    return rule.years.some((year) => monthsOf(rule).some((month) => ruleDaysIn(rule, year, month) !== 0));
  }
  return (
    hasUsualDay(rule.days) ||
    monthsOf(rule).some((month) => shapesOf(month).some((shape) => daysMeant(rule.days, shape) !== 0))
  );
}

/** Whether the rule means a day that every month has. */
function hasUsualDay(days: DayRule): boolean {
  if (!days.monthDaysRestricted && !days.weekdaysRestricted) {
    return true;
  }
  return (
    days.weekdays !== 0 ||
    days.lastWeekdays !== 0 ||
    days.lastDay ||
    (days.monthDays & ((1 << SHORTEST_MONTH) - 1)) !== 0
  );
}

export function monthsOf(rule: Pick<CronRule, 'months'>): number[] {
  return Array.from({ length: 12 }, (_, index) => index + 1).filter((month) => (rule.months >> (month - 1)) & 1);
}

/** The shapes that a month comes in; February has those of 28 and of 29 days. */
export function shapesOf(month: number): number[] {
  const longest = daysInMonth(2000, month);
  const shortest = daysInMonth(2001, month);
  return Array.from({ length: MONTH_SHAPES }, (_, shape) => shape).filter(
    (shape) => lengthOfShape(shape) >= shortest && lengthOfShape(shape) <= longest,
  );
}

export function isEveryDay(rule: CronRule): boolean {
  return (
    rule.months === ALL_MONTHS &&
    rule.years === undefined &&
    monthsOf(rule).every((month) =>
      shapesOf(month).every((shape) => {
        const length = lengthOfShape(shape);
        return daysMeant(rule.days, shape) === (length === 31 ? 0x7fffffff : (1 << length) - 1);
      }),
    )
  );
}

export const EVERY_YEAR: readonly number[] = Array.from(
  { length: LAST_YEAR - FIRST_YEAR + 1 },
  (_, index) => FIRST_YEAR + index,
);
