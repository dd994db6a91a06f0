/** What one field of a cron expression may hold. */
export interface Field {
  /** How messages call it. */
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** Three-letter names, upper case. */
  readonly names: ReadonlyMap<string, number>;
  /** What is allowed, for messages. */
  readonly allowed: string;
}

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ');
const NO_NAMES: ReadonlyMap<string, number> = new Map();

const MONTH_NAMES = new Map(MONTHS.map((name, index) => [name, index + 1]));

export const MINUTE: Field = {
  name: 'minute',
  first: 0,
  last: 59,
  names: NO_NAMES,
  allowed: "0 to 59, '*', ranges '10-20', steps '*/15' and lists",
};
export const HOUR: Field = {
  name: 'hour',
  first: 0,
  last: 23,
  names: NO_NAMES,
  allowed: "0 to 23, '*', ranges '9-17', steps '*/2' and lists",
};
export const DAY_OF_MONTH: Field = {
  name: 'day-of-month',
  first: 1,
  last: 31,
  names: NO_NAMES,
  allowed: "1 to 31, '*', '?', ranges '1-7', steps '*/10', 'L' (last day), 'LW', '15W' (nearest weekday) and lists",
};
export const MONTH: Field = {
  name: 'month',
  first: 1,
  last: 12,
  names: MONTH_NAMES,
  allowed: "1 to 12, JAN to DEC, '*', ranges '6-8', steps '*/3' and lists",
};
/** 0 and 7 are both Sunday. */
export const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  first: 0,
  last: 7,
  names: new Map(WEEKDAYS.map((name, index) => [name, index])),
  allowed: "0 to 7 (0 and 7 are Sunday), SUN to SAT, '*', '?', ranges '1-5', '5#3' (third Friday), '5L' and lists",
};

export const UNIX_FIELDS: readonly Field[] = [MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK];

export function monthName(month: number): string {
  return MONTHS[month - 1] ?? String(month);
}

export function weekdayName(weekday: number): string {
  return WEEKDAYS[weekday % 7] ?? String(weekday);
}
