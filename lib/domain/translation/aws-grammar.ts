import { type CronRule, canHold, EVERY_YEAR } from '../cron/cron-rule.ts';
import type { DayRule } from '../cron/day-rule.ts';
import { DAY_OF_WEEK, MONTH } from '../cron/field.ts';
import { type FieldSet, setOf, steps, toBits } from '../cron/field-set.ts';
import { BelfryError } from '../errors.ts';
import { quote } from '../quote.ts';
import { daysInMonth, FIRST_YEAR, LAST_YEAR, MS_PER_DAY, MS_PER_MINUTE } from '../time/civil-date.ts';

/** What one of EventBridge Scheduler's expressions says. */
export type AwsExpression =
  | { readonly kind: 'cron'; readonly canonical: string; readonly rule: CronRule }
  | { readonly kind: 'rate'; readonly canonical: string; readonly intervalMs: number }
  | { readonly kind: 'at'; readonly canonical: string; readonly wallMs: number };

/** Longest expression that EventBridge Scheduler takes. */
export const LONGEST_AWS_EXPRESSION = 256;

interface AwsField {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly names: ReadonlyMap<string, number>;
  readonly steps: boolean;
}

const NO_NAMES: ReadonlyMap<string, number> = new Map();
const MINUTES: AwsField = { name: 'minutes', first: 0, last: 59, names: NO_NAMES, steps: true };
const HOURS: AwsField = { name: 'hours', first: 0, last: 23, names: NO_NAMES, steps: true };
const MONTH_DAYS: AwsField = { name: 'day-of-month', first: 1, last: 31, names: NO_NAMES, steps: true };
const MONTHS: AwsField = { name: 'month', first: 1, last: 12, names: MONTH.names, steps: true };
const WEEKDAYS: AwsField = {
  name: 'day-of-week',
  first: 1,
  last: 7,
  names: new Map([...DAY_OF_WEEK.names].map(([name, weekday]) => [name, weekday + 1])),
  steps: false,
};
const YEARS: AwsField = { name: 'year', first: FIRST_YEAR, last: LAST_YEAR, names: NO_NAMES, steps: true };

export function looksLikeAws(text: string): boolean {
  return /^[ \t]*(?:cron|rate|at)[ \t]*\(/i.test(text);
}

/**
 * Reads `cron()`, `rate()` or `at()` by EventBridge Scheduler's documented grammar, and by what the service is known to
 * refuse: Sunday is 1, exactly one day field is `?`, single blanks, no list beside `L`, `W` or `#`.
 * @throws BelfryError `IllegalAwsExpression`, `NeverFires`.
 */
export function parseAwsText(text: string): AwsExpression {
  if (text.length > LONGEST_AWS_EXPRESSION) {
    throw illegal(text, `is longer than ${LONGEST_AWS_EXPRESSION} characters`);
  }
  const form = /^(cron|rate|at)\((.*)\)$/.exec(text);
  if (form === null) {
    throw illegal(
      text,
      `is not written cron(...), rate(...) or at(...): lower case, no blank before the bracket, nothing around it`,
    );
  }
  const [, name, content = ''] = form;
  if (name === 'cron') {
    return parseCron(text, content);
  }
  return name === 'rate' ? parseRate(text, content) : parseAt(text, content);
}

function parseCron(text: string, content: string): AwsExpression {
  const fields = content.split(' ');
  const [minutes, hours, monthDays, months, weekdays, years] = fields;
  if (
    fields.length !== 6 ||
    minutes === undefined ||
    hours === undefined ||
    monthDays === undefined ||
    months === undefined ||
    weekdays === undefined ||
    years === undefined
  ) {
    throw illegal(
      text,
      `has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}: needed are six, minutes hours day-of-month month day-of-week year, between single blanks`,
    );
  }
  if ((monthDays === '?') === (weekdays === '?')) {
    throw illegal(text, `must have '?' in exactly one of day-of-month and day-of-week`);
  }
  const yearSet = years === '*' ? undefined : listOf(text, YEARS, years);
  const rule: CronRule = {
    minutes: fieldSet(text, MINUTES, minutes),
    hours: fieldSet(text, HOURS, hours),
    months: toBits(fieldSet(text, MONTHS, months), 1),
    days: dayRule(text, monthDays, weekdays),
    ...(yearSet === undefined ? {} : { years: EVERY_YEAR.filter((year) => yearSet.has(year)) }),
    isInterval: hours.startsWith('*'),
  };
  if (!canHold(rule)) {
    throw new BelfryError('NeverFires', `expression ${quote(text)} can never fire: no month it names has such a day`);
  }
  return { kind: 'cron', canonical: text, rule };
}

function dayRule(text: string, monthDays: string, weekdays: string): DayRule {
  const rule = {
    monthDaysRestricted: monthDays !== '?' && monthDays !== '*',
    monthDays: 0,
    lastDay: monthDays === 'L',
    lastWorkday: false,
    nearestWorkdays: 0,
    daysBeforeLast: 0,
    weekdaysRestricted: weekdays !== '?' && weekdays !== '*',
    weekdays: 0,
    nthWeekdays: [] as number[],
    lastWeekdays: 0,
  };
  const nearest = /^([0-9]{1,2})W$/.exec(monthDays);
  if (nearest !== null) {
    rule.nearestWorkdays = 1 << (numberIn(text, MONTH_DAYS, nearest[1] ?? '') - 1);
  } else if (rule.monthDaysRestricted && !rule.lastDay) {
    if (/^L?W$|^L-/.test(monthDays)) {
      throw illegal(
        text,
        `day-of-month ${quote(monthDays)} is not documented: give it as a unix expression, '0 9 LW * *'`,
      );
    }
    rule.monthDays = toBits(fieldSet(text, MONTH_DAYS, monthDays), 1);
  }
  const special = /^([0-9]|[A-Za-z]{3})(?:(L)|#([0-9]))$/.exec(weekdays);
  if (special !== null) {
    const weekday = 1 << (numberIn(text, WEEKDAYS, special[1] ?? '') - 1);
    const week = Number(special[3] ?? '1');
    if (special[2] !== undefined) {
      rule.lastWeekdays = weekday;
    } else if (week >= 1 && week <= 5) {
      rule.nthWeekdays = [0, 0, 0, 0, 0].with(week - 1, weekday);
    } else {
      throw illegal(text, `day-of-week ${quote(weekdays)} is out of range: #1 to #5`);
    }
  } else if (weekdays === 'L') {
    rule.weekdays = 1 << 6;
  } else if (rule.weekdaysRestricted) {
    rule.weekdays = toBits(fieldSet(text, WEEKDAYS, weekdays), 1);
  }
  return rule;
}

function fieldSet(text: string, field: AwsField, content: string): FieldSet {
  return setOf(listOf(text, field, content));
}

function listOf(text: string, field: AwsField, content: string): Set<number> {
  const values = new Set<number>();
  for (const item of content.split(',')) {
    const match = /^(?:(\*)|([0-9A-Za-z]+)(?:-([0-9A-Za-z]+))?)(?:\/([0-9]{1,3}))?$/.exec(item);
    if (match === null) {
      throw illegal(text, `${field.name} ${quote(item)} is not understood: allowed are ${rangeOf(field)}`);
    }
    const [, star, start = '', end, step] = match;
    if (step !== undefined && (!field.steps || Number(step) === 0)) {
      throw illegal(text, field.steps ? `${field.name} step must be at least 1` : `${field.name} takes no '/'`);
    }
    const from = star === undefined ? numberIn(text, field, start) : field.first;
    const open = star !== undefined || step !== undefined;
    const to = end === undefined ? (open ? field.last : from) : numberIn(text, field, end);
    if (from > to) {
      throw illegal(
        text,
        `${field.name} range ${quote(item)} runs backwards: write it as two, '${from}-${field.last},${field.first}-${to}'`,
      );
    }
    for (const value of steps(from, to, Number(step ?? '1'))) {
      values.add(value);
    }
  }
  return values;
}

function numberIn(text: string, field: AwsField, content: string): number {
  const named = field.names.get(content.toUpperCase());
  const value = named ?? (/^[0-9]{1,4}$/.test(content) ? Number(content) : Number.NaN);
  if (!(value >= field.first && value <= field.last)) {
    throw illegal(text, `${field.name} ${quote(content)} is out of range: allowed are ${rangeOf(field)}`);
  }
  return value;
}

function rangeOf(field: AwsField): string {
  const [firstName] = field.names.keys();
  const names = firstName === undefined ? '' : ` or ${firstName} to ${[...field.names.keys()].at(-1)}`;
  return `${field.first} to ${field.last}${names}${field === WEEKDAYS ? ' (Sunday is 1)' : ''}`;
}

function parseRate(text: string, content: string): AwsExpression {
  const match = /^([1-9][0-9]{0,5}) (minute|hour|day)(s?)$/.exec(content);
  const [, count = '', unit = '', plural] = match ?? [];
  if (match === null || (plural === '' && count !== '1')) {
    throw illegal(
      text,
      `is not a rate: allowed are a whole number from 1 and minutes, hours or days, e.g. rate(5 minutes)`,
    );
  }
  const unitMs = unit === 'minute' ? MS_PER_MINUTE : unit === 'hour' ? 60 * MS_PER_MINUTE : MS_PER_DAY;
  return { kind: 'rate', canonical: text, intervalMs: Number(count) * unitMs };
}

function parseAt(text: string, content: string): AwsExpression {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})$/.exec(content);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (match ?? []).slice(1).map(Number);
  const exists =
    match !== null &&
    year >= FIRST_YEAR &&
    year <= LAST_YEAR &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59;
  if (!exists) {
    throw illegal(
      text,
      `is not a wall time of ${FIRST_YEAR} to ${LAST_YEAR}: write at(yyyy-mm-ddThh:mm:ss), no zone and no 'Z'`,
    );
  }
  return { kind: 'at', canonical: text, wallMs: Date.UTC(year, month - 1, day, hour, minute, second) };
}

function illegal(text: string, reason: string): BelfryError {
  return new BelfryError('IllegalAwsExpression', `expression ${quote(text)} ${reason}`);
}
