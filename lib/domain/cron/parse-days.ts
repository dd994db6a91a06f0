import type { DayRule } from './day-rule.ts';
import { DAY_OF_MONTH, DAY_OF_WEEK } from './field.ts';
import { toBits } from './field-set.ts';
import { illegalField, numberOf, parseStandardItem, splitList } from './standard-items.ts';

type MonthDays = Pick<
  DayRule,
  'monthDaysRestricted' | 'monthDays' | 'lastDay' | 'lastWorkday' | 'nearestWorkdays' | 'daysBeforeLast'
>;
type Weekdays = Pick<DayRule, 'weekdaysRestricted' | 'weekdays' | 'nthWeekdays' | 'lastWeekdays'>;

const ANY_MONTH_DAY: MonthDays = {
  monthDaysRestricted: false,
  monthDays: 0,
  lastDay: false,
  lastWorkday: false,
  nearestWorkdays: 0,
  daysBeforeLast: 0,
};
const ANY_WEEKDAY: Weekdays = { weekdaysRestricted: false, weekdays: 0, nthWeekdays: [], lastWeekdays: 0 };

/** Unrestricted exactly when the text is `*` or `?`. */
export function parseMonthDays(text: string): MonthDays {
  if (text === '*' || text === '?') {
    return ANY_MONTH_DAY;
  }
  const found = { ...ANY_MONTH_DAY, monthDaysRestricted: true };
  for (const item of text.includes(',') ? splitList(DAY_OF_MONTH, text) : [text]) {
    const special = /^(?:(L)|(LW)|L-([0-9]{1,2})|([0-9]{1,2})W)$/i.exec(item);
    if (special === null) {
      if (/W/i.test(item) && !/^[A-Z]{3}/i.test(item)) {
        throw illegalField(
          DAY_OF_MONTH,
          text,
          `'W' belongs to one day, e.g. '15W', or to the last, 'LW'; for several days write a list, '1W,15W'`,
        );
      }
      found.monthDays |= toBits(parseStandardItem(DAY_OF_MONTH, item, text).set, 1);
      continue;
    }
    const [, last, lastWorkday, beforeLast, nearest] = special;
    if (last !== undefined) {
      found.lastDay = true;
    } else if (lastWorkday !== undefined) {
      found.lastWorkday = true;
    } else if (beforeLast !== undefined) {
      const days = Number(beforeLast);
      if (days < 1 || days > 30) {
        throw illegalField(DAY_OF_MONTH, text, `'L-${days}' is out of range, 'L-1' to 'L-30'`);
      }
      found.daysBeforeLast |= 1 << days;
    } else {
      found.nearestWorkdays |= 1 << (numberOf(DAY_OF_MONTH, nearest ?? '', text) - 1);
    }
  }
  return found;
}

/** Unrestricted exactly when the text is `*` or `?`. */
export function parseWeekdays(text: string): Weekdays {
  if (text === '*' || text === '?') {
    return ANY_WEEKDAY;
  }
  const found = { ...ANY_WEEKDAY, weekdaysRestricted: true };
  const nth = [0, 0, 0, 0, 0];
  for (const item of text.includes(',') ? splitList(DAY_OF_WEEK, text) : [text]) {
    const special = /^([0-9]{1,2}|[A-Z]{3})(?:(L)|#([0-9]{1,2}))$/i.exec(item);
    if (special === null) {
      refuseMalformedSpecial(item, text);
      found.weekdays |= toBits(parseStandardItem(DAY_OF_WEEK, item, text).set, 0);
      continue;
    }
    const weekday = numberOf(DAY_OF_WEEK, special[1] ?? '', text) % 7;
    if (special[2] !== undefined) {
      found.lastWeekdays |= 1 << weekday;
      continue;
    }
    const week = Number(special[3]);
    if (week < 1 || week > 5) {
      throw illegalField(
        DAY_OF_WEEK,
        text,
        `'#${week}' is out of range: a month has a first to a fifth weekday, #1 to #5`,
      );
    }
    nth[week - 1] = (nth[week - 1] ?? 0) | (1 << weekday);
  }
  return nth.some((weekdays) => weekdays !== 0) ? { ...found, nthWeekdays: nth } : found;
}

function refuseMalformedSpecial(item: string, text: string): void {
  if (item.includes('#')) {
    throw illegalField(
      DAY_OF_WEEK,
      text,
      `'#' stands between one weekday and a number, e.g. '5#3' for the third Friday`,
    );
  }
  if (/^L$/i.test(item)) {
    throw illegalField(DAY_OF_WEEK, text, `'L' needs its weekday, e.g. '5L' for the last Friday; Saturday is '6'`);
  }
}
