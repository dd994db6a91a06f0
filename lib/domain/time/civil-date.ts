/**
 * The proleptic Gregorian calendar in whole numbers. A day is counted from 1970-01-01 (day 0); a month from January of
 * year 0 (`year * 12 + month - 1`), so that the next month is always one more.
 */
export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
}

export const MINUTES_PER_DAY = 1440;
export const MS_PER_MINUTE = 60_000;
export const MS_PER_DAY = 86_400_000;

/** Schedules are answered for wall clocks that show a year in this range, both ends included. */
export const FIRST_YEAR = 1970;
export const LAST_YEAR = 2199;

const DAYS_PER_ERA = 146_097;
const DAYS_FROM_MARCH_0000 = 719_468;

/** Days from 1970-01-01 to the date; years are counted from March, so that the leap day is the last of its year. */
export function dayOf(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_FROM_MARCH_0000;
}

/** The date of a day; the inverse of {@link dayOf}. */
export function civilDate(dayNumber: number): CivilDate {
  const shifted = dayNumber + DAYS_FROM_MARCH_0000;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** 0 is Sunday. 1970-01-01 was a Thursday. */
export function weekdayOf(dayNumber: number): number {
  return (((dayNumber + 4) % 7) + 7) % 7;
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) {
    return isLeapYear(year) ? 29 : 28;
  }
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** A wall-clock time as text, e.g. `2026-03-08T02:30`. `wallMs` is the wall clock read as if it were UTC. */
export function formatWallTime(wallMs: number): string {
  const text = new Date(wallMs).toISOString();
  return text.endsWith(':00.000Z') ? text.slice(0, 16) : text.slice(0, 19);
}
