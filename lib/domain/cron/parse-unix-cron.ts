import { BelfryError } from '../errors.ts';
import { quote } from '../quote.ts';
import { canonicalUnixCron } from './canonical-cron.ts';
import { type CronRule, canHold, monthsOf } from './cron-rule.ts';
import type { DayRule } from './day-rule.ts';
import { DAY_OF_MONTH, type Field, HOUR, MINUTE, MONTH, UNIX_FIELDS } from './field.ts';
import { type FieldSet, toBits } from './field-set.ts';
import { parseMonthDays, parseWeekdays } from './parse-days.ts';
import { remembered } from './remembered.ts';
import { illegalField, parseStandardItem, splitList, unionOf } from './standard-items.ts';

type FieldTexts = readonly [string, string, string, string, string];

/** A unix expression, read. */
export class UnixCron {
  readonly rule: CronRule;
  /** The five fields as written. */
  readonly fields: FieldTexts;
  #canonical: string | undefined;

  constructor(rule: CronRule, fields: FieldTexts) {
    this.rule = rule;
    this.fields = fields;
  }

  /** One spelling for all expressions that mean the same. */
  get canonical(): string {
    this.#canonical ??= canonicalUnixCron(this.rule, this.fields[1]);
    return this.#canonical;
  }
}

const FIELD_COUNT = 5;
const USUAL = /^[\x21-\x7e]+(?: [\x21-\x7e]+){4}$/;

const minutesOf = remembered((text) => parsePlain(MINUTE, text));
const hoursOf = remembered((text) => parsePlain(HOUR, text));
const monthsIn = remembered((text) => toBits(parsePlain(MONTH, text), 1));
const monthDaysOf = remembered(parseMonthDays);
const weekdaysOf = remembered(parseWeekdays);

/**
 * Reads minute, hour, day-of-month, month and day-of-week.
 * @throws BelfryError `IllegalCharacter`, `WrongFieldCount`, `IllegalField`, `WrapAroundRange`, `NeverFires`.
 */
export const parseUnixCron = remembered(readUnixCron, 2000);

function readUnixCron(text: string): UnixCron {
  const fields = splitFields(text);
  const [minuteText, hourText, monthDayText, monthText, weekdayText] = fields;
  const minutes = minutesOf(minuteText);
  const hours = hoursOf(hourText);
  const monthDays = monthDaysOf(monthDayText);
  const months = monthsIn(monthText);
  const weekdays = weekdaysOf(weekdayText);
  const days: DayRule = { ...monthDays, ...weekdays };
  const rule: CronRule = { minutes, hours, months, days, isInterval: hourText.startsWith('*') };
  if (days.daysBeforeLast !== 0 && (months & 0b10) !== 0) {
    throw illegalField(
      DAY_OF_MONTH,
      monthDayText,
      `days before the last are not the same day every February: name the other months in the month field (1,3-12), or write the days themselves`,
    );
  }
  if (!canHold(rule)) {
    throw neverFires(text, rule);
  }
  return new UnixCron(rule, fields);
}

/** Splits at blanks and tabs, and at nothing else that looks like one. */
function splitFields(text: string): FieldTexts {
  if (USUAL.test(text)) {
    return text.split(' ') as unknown as FieldTexts;
  }
  const trimmed = text.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');
  const strange = /[^\x20-\x7e\t]/u.exec(trimmed);
  if (strange !== null) {
    const before = trimmed.slice(0, strange.index).split(/[ \t]+/).length - 1;
    const field = UNIX_FIELDS[Math.min(before, FIELD_COUNT - 1)] ?? MINUTE;
    throw new BelfryError(
      'IllegalCharacter',
      `${field.name} field of ${quote(text)}: the character ${quote(strange[0])} at position ${strange.index + 1} is not allowed; allowed are ASCII letters, digits and * , - / ? #, with blanks or tabs between the fields`,
    );
  }
  const parts = trimmed === '' ? [] : trimmed.split(/[ \t]+/);
  if (parts.length !== FIELD_COUNT) {
    throw new BelfryError(
      'WrongFieldCount',
      `expression ${quote(text)} has ${parts.length} ${parts.length === 1 ? 'field' : 'fields'}: ${fieldCountAdvice(parts)}`,
    );
  }
  return parts as unknown as FieldTexts;
}

function fieldCountAdvice(parts: readonly string[]): string {
  const needed = `needed are ${FIELD_COUNT}, minute hour day-of-month month day-of-week, e.g. '0 8 * * 1-5'`;
  if (parts.length === 0) {
    return needed;
  }
  if (/^(?:CRON_)?TZ=/i.test(parts[0] ?? '')) {
    return `${needed}; the zone is given beside the expression, as timeZone`;
  }
  if (parts.length === 6 && parts.includes('?')) {
    return `${needed}; six fields with '?' look like EventBridge's own form, which is written cron(${parts.join(' ')})`;
  }
  if (parts.length === 6 && /\//.test(parts[5] ?? '') && /^[A-Za-z]/.test(parts[5] ?? '')) {
    return `${needed}; the zone is given beside the expression, as timeZone`;
  }
  if (parts.length === 6 || parts.length === 7) {
    return `${needed}; there is no seconds field, no command and no comment`;
  }
  return needed;
}

function parsePlain(field: Field, text: string): FieldSet {
  if (!text.includes(',')) {
    return parseStandardItem(field, text, text).set;
  }
  return unionOf(splitList(field, text).map((item) => parseStandardItem(field, item, text)));
}

function neverFires(text: string, rule: CronRule): BelfryError {
  const months = monthsOf(rule).join(', ');
  return new BelfryError(
    'NeverFires',
    `expression ${quote(text)} can never fire: month ${months} has no such day; correct the day-of-month or the month field`,
  );
}

/** The refusal of a text that is too long to be read at all; it names the field in which it gets too long. */
export function tooLong(text: string, longest: number): BelfryError {
  const beginning = text.slice(0, longest);
  const parts = beginning.split(/[ \t]+/).filter((part) => part !== '');
  const field = UNIX_FIELDS[parts.length - 1];
  const last = parts.at(-1) ?? '';
  const limit = `allowed are ${longest} characters in all`;
  if (field === undefined || beginning.startsWith('@') || last.length < longest / 10) {
    return new BelfryError(
      'ExpressionTooLong',
      `expression ${quote(text)} is too long for its five fields, minute hour day-of-month month day-of-week: ${limit}; use ranges and steps in place of long lists`,
    );
  }
  const start = beginning.lastIndexOf(last);
  const end = text.indexOf(' ', start);
  return new BelfryError(
    'ExpressionTooLong',
    `${field.name} field ${quote(text.slice(start, end < 0 ? undefined : end))} is too long: ${limit}, and in the field ${field.allowed}`,
  );
}
