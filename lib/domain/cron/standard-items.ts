import { CronExpressionParser } from 'cron-parser';
import { BelfryError } from '../errors.ts';
import { quote } from '../quote.ts';
import { closestTo } from '../time/closest.ts';
import { DAY_OF_MONTH, DAY_OF_WEEK, type Field, HOUR, MINUTE, MONTH } from './field.ts';
import { EMPTY_SET, type FieldSet, setOf, union } from './field-set.ts';

/** One list item of a field, as written: `*`, `7`, `MON-FRI`, `0-30/10`, `5/15`. */
export interface StandardItem {
  /** With names as numbers and without leading zeros. */
  readonly canonical: string;
  readonly set: FieldSet;
}

const ITEM = /^(?:(\*)|([0-9]{1,2}|[A-Za-z]{3})(?:-([0-9]{1,2}|[A-Za-z]{3}))?)(?:\/([0-9]{1,2}))?$/;
const HOLDERS: ReadonlyMap<Field, readonly [string, 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'dayOfWeek', string]> =
  new Map([
    [MINUTE, ['', 'minute', ' * * * *']],
    [HOUR, ['0 ', 'hour', ' * * *']],
    [DAY_OF_MONTH, ['0 0 ', 'dayOfMonth', ' * *']],
    [MONTH, ['0 0 1 ', 'month', ' *']],
    [DAY_OF_WEEK, ['0 0 * * ', 'dayOfWeek', '']],
  ] as const);

/**
 * Reads one list item. cron-parser says what a well-formed item means; whether it is well formed is decided here first,
 * because that parser also takes `H` (a random minute), `?` in any field and a digit glued to a name.
 * @throws BelfryError `IllegalField`, `WrapAroundRange`.
 */
export function parseStandardItem(field: Field, item: string, fieldText: string): StandardItem {
  const match = ITEM.exec(item);
  if (match === null) {
    throw illegalField(field, fieldText, whatIsWrong(field, item));
  }
  const [, star, start, end, step] = match;
  const from = start === undefined ? undefined : numberOf(field, start, fieldText);
  const to = end === undefined ? undefined : numberOf(field, end, fieldText);
  if (from !== undefined && to !== undefined && from > to) {
    throw wrapAround(field, item, from, to);
  }
  const stepped = step === undefined ? undefined : Number(step);
  if (stepped === 0) {
    throw illegalField(field, fieldText, `step ${quote(step)} must be at least 1`);
  }
  const base = star ?? (to === undefined ? `${from}` : `${from}-${to}`);
  const canonical = stepped === undefined ? base : `${base}/${stepped}`;
  return { canonical, set: meaningOf(field, canonical) };
}

function meaningOf(field: Field, canonical: string): FieldSet {
  const holder = HOLDERS.get(field);
  if (holder === undefined) {
    return EMPTY_SET;
  }
  const [before, name, after] = holder;
  const { fields } = CronExpressionParser.parse(`${before}${canonical}${after}`, { currentDate: 0, tz: 'UTC' });
  const values = fields[name].values.map(Number);
  return setOf(field === DAY_OF_WEEK ? values.map((value) => value % 7) : values);
}

/** The union of several items. */
export function unionOf(items: readonly StandardItem[]): FieldSet {
  return items.reduce((set, item) => union(set, item.set), EMPTY_SET);
}

/** A number or a name of the field, checked against its range. */
export function numberOf(field: Field, text: string, fieldText: string): number {
  const named = field.names.get(text.toUpperCase());
  if (named !== undefined) {
    return named;
  }
  const value = /^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) {
    throw illegalField(field, fieldText, whatIsWrong(field, text));
  }
  if (value < field.first || value > field.last) {
    throw illegalField(field, fieldText, `${value} is out of range`);
  }
  return value;
}

export function illegalField(field: Field, fieldText: string, reason: string): BelfryError {
  return new BelfryError(
    'IllegalField',
    `${field.name} field ${quote(fieldText)}: ${reason}; allowed are ${field.allowed}`,
  );
}

function whatIsWrong(field: Field, item: string): string {
  if (item === '') {
    return 'a list item is empty: remove the extra comma';
  }
  if (/^[Hh](?:$|[/(])/.test(item)) {
    return `${quote(item)} (a hashed value) would differ from one reading to the next: write the value itself`;
  }
  if (item === '?') {
    return `'?' is allowed in the two day fields only, alone: write '*'`;
  }
  if (/^(?:\*|[0-9]+)\/[0-9]{3,}$/.test(item)) {
    return `step in ${quote(item)} is larger than the field: for a longer interval use '@every', e.g. '@every 2h'`;
  }
  if (/^[0-9]{3,}$/.test(item)) {
    return `${quote(item)} has more than two digits`;
  }
  const word = /^[A-Za-z]{3,}/.exec(item)?.[0];
  if (word !== undefined && field.names.size > 0) {
    const short = word.slice(0, 3).toUpperCase();
    if (field.names.has(short) && word.length > 3) {
      return `${quote(item)} is not a name: write ${short}`;
    }
    const close = closestTo(word, [...field.names.keys()], (name) => name);
    return `${quote(item)} is not a name${close.length > 0 ? `: did you mean ${close.join(' or ')}?` : ''}`;
  }
  return `${quote(item)} is not understood`;
}

function wrapAround(field: Field, item: string, from: number, to: number): BelfryError {
  const last = field === DAY_OF_WEEK ? 6 : field.last;
  const range = (start: number, end: number) => (start === end ? `${start}` : `${start}-${end}`);
  const halves = field === DAY_OF_WEEK && from === 7 ? range(0, to) : `${range(from, last)},${range(field.first, to)}`;
  const step = item.includes('/') ? ' (and spell out the step)' : '';
  return new BelfryError(
    'WrapAroundRange',
    `${field.name} field: range ${quote(item)} runs backwards: write it as two ranges, '${halves}'${step}`,
  );
}

const MOST_ITEMS = 100;

export function splitList(field: Field, text: string): string[] {
  const items = text.split(',', MOST_ITEMS + 1);
  if (items.length > MOST_ITEMS) {
    throw illegalField(field, text, `a list may have at most ${MOST_ITEMS} items`);
  }
  return items;
}
