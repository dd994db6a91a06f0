import { bitsOf } from '../cron/canonical-cron.ts';
import { compactList, type ListStyle } from '../cron/compact-list.ts';
import type { CronRule } from '../cron/cron-rule.ts';
import { type DayRule, daysMeant, weekdayInShape } from '../cron/day-rule.ts';
import { FIRST_YEAR, isLeapYear, LAST_YEAR } from '../time/civil-date.ts';
import { intersections, isWithin, minimalCover, type Piece, withoutRepeats } from './minimal-cover.ts';

/**
 * Days of the year as the calendar knows them: for each of thirteen columns (the months; February of a leap year is the
 * last) and each weekday that its first day can have, a set of days. Two rules mean the same days exactly when these
 * sets are equal.
 */
export type DaySet = Int32Array;

/** The day fields of one expression. */
export interface DayFields {
  readonly monthDays: string;
  readonly months: string;
  readonly weekdays: string;
  readonly years: string;
}

const COLUMNS = 13;
const ALL_COLUMNS = (1 << COLUMNS) - 1;
const LEAP_FEBRUARY = 12;
const FEBRUARY = 1;
const BOTH_FEBRUARIES = (1 << FEBRUARY) | (1 << LEAP_FEBRUARY);
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 29];
const MONTH_DAY_STYLE: ListStyle = { first: 1, last: 31, steps: true, stepFromStar: false };
const MONTH_STYLE: ListStyle = { first: 1, last: 12, steps: true, stepFromStar: false };
const WEEKDAY_STYLE: ListStyle = { first: 1, last: 7, steps: false, stepFromStar: false };
const NO_DAYS: DayRule = {
  monthDaysRestricted: false,
  monthDays: 0,
  lastDay: false,
  lastWorkday: false,
  nearestWorkdays: 0,
  daysBeforeLast: 0,
  weekdaysRestricted: false,
  weekdays: 0,
  nthWeekdays: [],
  lastWeekdays: 0,
};
const LEAP_YEARS = yearsText((year) => isLeapYear(year));
const COMMON_YEARS = yearsText((year) => !isLeapYear(year));

interface DayPiece extends Piece {
  readonly fields: DayFields;
}

export function daySetOf(rule: CronRule): DaySet {
  return cellsOf(rule.days, (column) => ((rule.months >> monthIndex(column)) & 1) === 1);
}

export function everyDay(): DaySet {
  return cellsOf(NO_DAYS, () => true);
}

/** The fewest expressions' day fields that together say the set. */
export function dayFields(days: DaySet): DayFields[] {
  const plain = piecesWithin(days, 'plain');
  const single = plain.find(({ cells }) => isWithin(days, cells));
  const pieces = single ? [single] : [...plain, ...piecesWithin(days, 'special')];
  const chosen = minimalCover(days, pieces).sort((one, other) => pieces.indexOf(one) - pieces.indexOf(other));
  return withoutRepeats(chosen, listedOnly).map(({ fields }) => fields);
}

/** Leaves out of a list of days those that it need not have; other kinds of days are as they are. */
function listedOnly(piece: DayPiece, own: DaySet): DayPiece {
  if (!/^[0-9]/.test(piece.fields.monthDays) || piece.fields.monthDays.endsWith('W')) {
    return piece;
  }
  const listed = own.reduce((all, bits) => all | bits, 0);
  const monthDays = compactList(bitsOf(listed, 1), MONTH_DAY_STYLE);
  return { cells: piece.cells.map((bits) => bits & listed), fields: { ...piece.fields, monthDays } };
}

function piecesWithin(days: DaySet, kind: 'plain' | 'special'): DayPiece[] {
  const pieces: DayPiece[] = [];
  const add = (rule: DayRule, monthDays: string, weekdays: string) => {
    const cells = cellsOf(rule, () => true);
    let columns = 0;
    let barren = 0;
    for (let column = 0; column < COLUMNS; column++) {
      const own = cells.subarray(column * 7, column * 7 + 7);
      if (isWithin(own, days.subarray(column * 7, column * 7 + 7))) {
        columns |= 1 << column;
        barren |= own.every((bits) => bits === 0) ? 1 << column : 0;
      }
    }
    addColumns(pieces, days, rule, columns, barren, monthDays, weekdays);
  };
  if (kind === 'special') {
    addSpecials(add);
    return pieces;
  }
  for (const monthDays of intersections(commonMonthDays(days))) {
    const own = monthDays & 0x7fffffff;
    add({ ...NO_DAYS, monthDaysRestricted: true, monthDays: own }, compactList(bitsOf(own, 1), MONTH_DAY_STYLE), '?');
  }
  for (const weekdays of intersections(commonWeekdays(days))) {
    const text = compactList(bitsOf(weekdays, 1), WEEKDAY_STYLE);
    add({ ...NO_DAYS, weekdaysRestricted: true, weekdays }, '?', text);
  }
  return pieces;
}

function addSpecials(add: (rule: DayRule, monthDays: string, weekdays: string) => void): void {
  add({ ...NO_DAYS, monthDaysRestricted: true, lastDay: true }, 'L', '?');
  for (let weekday = 0; weekday < 7; weekday++) {
    add({ ...NO_DAYS, weekdaysRestricted: true, lastWeekdays: 1 << weekday }, '?', `${weekday + 1}L`);
    for (let week = 1; week <= 5; week++) {
      const nthWeekdays = [0, 0, 0, 0, 0].with(week - 1, 1 << weekday);
      add({ ...NO_DAYS, weekdaysRestricted: true, nthWeekdays }, '?', `${weekday + 1}#${week}`);
    }
  }
  for (let day = 1; day <= 31; day++) {
    add({ ...NO_DAYS, monthDaysRestricted: true, nearestWorkdays: 1 << (day - 1) }, `${day}W`, '?');
  }
}

/**
 * Adds a piece for the columns in which all of its days are wanted. February's two columns go together unless the year
 * field tells them apart. Months in which it means no day are left out where that is free to choose: what the service
 * does there is not documented.
 */
function addColumns(
  pieces: DayPiece[],
  days: DaySet,
  rule: DayRule,
  columns: number,
  barren: number,
  monthDays: string,
  weekdays: string,
): void {
  const push = (chosen: number, years: string) => {
    const cells = cellsOf(rule, (column) => ((chosen >> column) & 1) === 1);
    if (cells.some((bits) => bits !== 0) && isWithin(cells, days)) {
      const fields = { monthDays, months: monthsText(chosen), weekdays, years };
      pieces.push({
        cells,
        fields: monthDays === '?' && weekdays === '*' ? { ...fields, monthDays: '*', weekdays: '?' } : fields,
      });
    }
  };
  const isSpecial = /[LW#]/.test(monthDays + weekdays);
  const hasBoth = (columns & BOTH_FEBRUARIES) === BOTH_FEBRUARIES;
  const always = hasBoth ? columns : columns & ~BOTH_FEBRUARIES;
  const isBarrenFebruary = (barren & BOTH_FEBRUARIES) === BOTH_FEBRUARIES;
  const leftOut = isSpecial || always !== ALL_COLUMNS ? barren & ~(isBarrenFebruary ? 0 : BOTH_FEBRUARIES) : 0;
  const chosen = always & ~leftOut;
  if (isSpecial && chosen === BOTH_FEBRUARIES && barren & (1 << FEBRUARY)) {
    push(1 << LEAP_FEBRUARY, LEAP_YEARS);
    return;
  }
  push(chosen, '*');
  if (columns & (1 << FEBRUARY) && !hasBoth) {
    push(1 << FEBRUARY, COMMON_YEARS);
  }
  if (columns & (1 << LEAP_FEBRUARY) && !hasBoth) {
    push(1 << LEAP_FEBRUARY, LEAP_YEARS);
  }
}

/** Per column, the days that are wanted whatever the weekday; days that the month lacks may be had for nothing. */
function commonMonthDays(days: DaySet): number[] {
  return LENGTHS.map((length, column) => {
    let common = ~0;
    for (let first = 0; first < 7; first++) {
      common &= days[column * 7 + first] as number;
    }
    const lacking = length === 31 ? 0 : ~((1 << length) - 1);
    return common === 0 ? 0 : (common | lacking) & 0x7fffffff;
  });
}

/** Per column, the weekdays that are wanted in every week. */
function commonWeekdays(days: DaySet): number[] {
  return LENGTHS.map((length, column) => {
    let weekdays = 0x7f;
    for (let first = 0; first < 7; first++) {
      const shape = (length - 28) * 7 + first;
      for (let day = 1; day <= length; day++) {
        if ((((days[column * 7 + first] as number) >> (day - 1)) & 1) === 0) {
          weekdays &= ~(1 << weekdayInShape(shape, day));
        }
      }
    }
    return weekdays;
  });
}

function cellsOf(rule: DayRule, isWanted: (column: number) => boolean): DaySet {
  const cells = new Int32Array(COLUMNS * 7);
  for (let column = 0; column < COLUMNS; column++) {
    if (isWanted(column)) {
      for (let first = 0; first < 7; first++) {
        cells[column * 7 + first] = daysMeant(rule, ((LENGTHS[column] as number) - 28) * 7 + first);
      }
    }
  }
  return cells;
}

function monthIndex(column: number): number {
  return column === LEAP_FEBRUARY ? FEBRUARY : column;
}

function monthsText(columns: number): string {
  const months = new Set(bitsOf(columns, 0).map((column) => monthIndex(column) + 1));
  return compactList(
    [...months].sort((one, other) => one - other),
    MONTH_STYLE,
  );
}

function yearsText(isMeant: (year: number) => boolean): string {
  const years = Array.from({ length: LAST_YEAR - FIRST_YEAR + 1 }, (_, index) => FIRST_YEAR + index).filter(isMeant);
  return compactList(years, { first: FIRST_YEAR, last: LAST_YEAR, steps: true, stepFromStar: false });
}
