import {
  civilDate,
  dayOf,
  daysInMonth,
  FIRST_YEAR,
  LAST_YEAR,
  MINUTES_PER_DAY,
  weekdayOf,
} from '../time/civil-date.ts';
import type { CronRule } from './cron-rule.ts';
import { daysMeant, MONTH_SHAPES } from './day-rule.ts';
import { nextIn, previousIn } from './field-set.ts';

/** No such time: the answer of a search that left the years. */
export const NEVER = -1_000_000_000;

// One year more on either side: where UTC is in 1970 or 2199, a wall clock may show the year before or after.
const FIRST_WALL_YEAR = FIRST_YEAR - 1;
const LAST_WALL_YEAR = LAST_YEAR + 1;
const FIRST_MINUTE = dayOf(FIRST_YEAR, 1, 1) * MINUTES_PER_DAY - 2 * MINUTES_PER_DAY;

const NO_MINUTE = -1;
const UNKNOWN = -1;
const NO_SHAPES: number[] = [];

/**
 * Finds the wall-clock minutes at which a rule holds, counted from 1970-01-01T00:00 on the wall. It remembers the month
 * it looked at last, since the next question is nearly always about the same one; the answers do not depend on it.
 */
export class RuleCursor {
  readonly #minuteLow: number;
  readonly #minuteHigh: number;
  readonly #hours: number;
  readonly #months: number;
  readonly #rule: CronRule;
  readonly #firstMinute: number;
  readonly #lastMinute: number;
  readonly #firstOfDay: number;
  readonly #lastOfDay: number;
  /** Days that the rule means, by the month's shape; made when a second month is looked at. */
  #shapes: number[] | undefined;
  #year = 0;
  #month = 0;
  #firstDay = 0;
  #length = 0;
  #days = 0;

  constructor(rule: CronRule) {
    this.#rule = rule;
    this.#minuteLow = rule.minutes.low;
    this.#minuteHigh = rule.minutes.high;
    this.#hours = rule.hours.low;
    this.#months = rule.months;
    this.#firstMinute = nextIn(rule.minutes.low, rule.minutes.high, 0);
    this.#lastMinute = previousIn(rule.minutes.low, rule.minutes.high, 59);
    this.#firstOfDay = nextIn(rule.hours.low, 0, 0) * 60 + this.#firstMinute;
    this.#lastOfDay = previousIn(rule.hours.low, 0, 23) * 60 + this.#lastMinute;
  }

  /** The first minute at or after `minute` at which the rule holds, or NEVER. */
  next(minute: number): number {
    const from = Math.max(minute, FIRST_MINUTE);
    const day = Math.floor(from / MINUTES_PER_DAY);
    if (day < this.#firstDay || day >= this.#firstDay + this.#length) {
      this.#lookAt(day);
    }
    const bit = day - this.#firstDay;
    if ((this.#days >>> bit) & 1) {
      const minuteOfDay = this.#nextInDay(from - day * MINUTES_PER_DAY);
      if (minuteOfDay >= 0) {
        return day * MINUTES_PER_DAY + minuteOfDay;
      }
    }
    const rest = this.#days & (-2 << bit);
    const found = bit < 31 && rest !== 0 ? this.#firstDay + 31 - Math.clz32(rest & -rest) : this.#nextMonthsDay();
    return found === NEVER ? NEVER : found * MINUTES_PER_DAY + this.#firstOfDay;
  }

  /** The last minute at or before `minute` at which the rule holds, or NEVER. */
  previous(minute: number): number {
    if (minute < FIRST_MINUTE) {
      return NEVER;
    }
    const day = Math.floor(minute / MINUTES_PER_DAY);
    if (day < this.#firstDay || day >= this.#firstDay + this.#length) {
      this.#lookAt(day);
    }
    const bit = day - this.#firstDay;
    if (bit < 31 && (this.#days >>> bit) & 1) {
      const minuteOfDay = this.#previousInDay(minute - day * MINUTES_PER_DAY);
      if (minuteOfDay >= 0) {
        return day * MINUTES_PER_DAY + minuteOfDay;
      }
    }
    const rest = bit < 31 ? this.#days & ((1 << bit) - 1) : this.#days;
    const found = rest !== 0 ? this.#firstDay + 31 - Math.clz32(rest) : this.#previousMonthsDay();
    return found === NEVER ? NEVER : found * MINUTES_PER_DAY + this.#lastOfDay;
  }

  #nextInDay(minuteOfDay: number): number {
    const hour = (minuteOfDay / 60) | 0;
    if ((this.#hours >>> hour) & 1) {
      const minute = nextIn(this.#minuteLow, this.#minuteHigh, minuteOfDay - hour * 60);
      if (minute >= 0) {
        return hour * 60 + minute;
      }
    }
    const later = nextIn(this.#hours, 0, hour + 1);
    return later < 0 ? NO_MINUTE : later * 60 + this.#firstMinute;
  }

  #previousInDay(minuteOfDay: number): number {
    const hour = (minuteOfDay / 60) | 0;
    if ((this.#hours >>> hour) & 1) {
      const minute = previousIn(this.#minuteLow, this.#minuteHigh, minuteOfDay - hour * 60);
      if (minute >= 0) {
        return hour * 60 + minute;
      }
    }
    const earlier = previousIn(this.#hours, 0, hour - 1);
    return earlier < 0 ? NO_MINUTE : earlier * 60 + this.#lastMinute;
  }

  /** First day of the rule in a later month than the one looked at. */
  #nextMonthsDay(): number {
    let year = this.#year;
    let month = this.#month;
    while (year <= LAST_WALL_YEAR) {
      month = nextIn(this.#months << 1, 0, month + 1);
      if (month < 0) {
        year++;
        month = 0;
        continue;
      }
      this.#lookAtMonth(year, month, dayOf(year, month, 1));
      if (this.#days !== 0) {
        return this.#firstDay + 31 - Math.clz32(this.#days & -this.#days);
      }
    }
    return NEVER;
  }

  /** Last day of the rule in an earlier month than the one looked at. */
  #previousMonthsDay(): number {
    let year = Math.min(this.#year, LAST_WALL_YEAR + 1);
    let month = year > LAST_WALL_YEAR ? 0 : this.#month;
    while (year >= FIRST_WALL_YEAR) {
      month = previousIn(this.#months << 1, 0, month - 1);
      if (month < 0) {
        year--;
        month = 13;
        continue;
      }
      this.#lookAtMonth(year, month, dayOf(year, month, 1));
      if (this.#days !== 0) {
        return this.#firstDay + 31 - Math.clz32(this.#days);
      }
    }
    return NEVER;
  }

  #lookAt(day: number): void {
    const date = civilDate(day);
    this.#lookAtMonth(date.year, date.month, day - date.day + 1);
  }

  #lookAtMonth(year: number, month: number, firstDay: number): void {
    const length = daysInMonth(year, month);
    this.#year = year;
    this.#month = month;
    this.#firstDay = firstDay;
    this.#length = length;
    const years = this.#rule.years;
    if (((this.#months >> (month - 1)) & 1) === 0 || year < FIRST_WALL_YEAR || year > LAST_WALL_YEAR) {
      this.#days = 0;
    } else if (years !== undefined && !years.includes(year)) {
      this.#days = 0;
    } else {
      this.#days = this.#daysOf((length - 28) * 7 + weekdayOf(firstDay));
    }
  }

  #daysOf(shape: number): number {
    if (this.#shapes === undefined) {
      this.#shapes = NO_SHAPES;
      return daysMeant(this.#rule.days, shape);
    }
    if (this.#shapes === NO_SHAPES) {
      this.#shapes = new Array<number>(MONTH_SHAPES).fill(UNKNOWN);
    }
    let days = this.#shapes[shape] as number;
    if (days === UNKNOWN) {
      days = daysMeant(this.#rule.days, shape);
      this.#shapes[shape] = days;
    }
    return days;
  }
}
