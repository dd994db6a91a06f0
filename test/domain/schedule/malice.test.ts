import { describe, expect, test } from 'vitest';
import { BelfryError } from '../../../lib/domain/errors.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';

const NUL = String.fromCharCode(0);

/** What is given, the code it is refused with, and what the message must name: field, value, what is allowed. */
const REFUSED: readonly (readonly [string, string | readonly string[], string, RegExp])[] = [
  ['1 MB of one letter', 'a'.repeat(1_000_000), 'ExpressionTooLong', /minute field 'a+…' \(1000000 .*allowed are/],
  ['1 MB of blanks', ' '.repeat(1_000_000), 'ExpressionTooLong', /expression ' +…'.*allowed are 1000/],
  ['1 MB of digits', '1'.repeat(1_000_000), 'ExpressionTooLong', /minute field '1+…'.*allowed are/],
  ['10,000 list items', `${'1,'.repeat(9999)}1 * * * *`, 'ExpressionTooLong', /minute field '1,.*allowed are/],
  ['10,000 weekdays', `0 0 * * ${'1,'.repeat(9999)}1`, 'ExpressionTooLong', /day-of-week field '1,.*allowed are/],
  [
    '400 list items',
    `${'1,'.repeat(399)}1 * * * *`,
    'IllegalField',
    /minute field '1,.*at most 100 items; allowed are/,
  ],
  ['10,000 fields', '0 '.repeat(10_000), 'ExpressionTooLong', /expression '0 0.*allowed are/],
  ['10,000 expressions', Array(10_000).fill('* * * * *'), 'TooManyExpressions', /10000 expressions: allowed are 100/],
  ['arabic digits', '٣ * * * *', 'IllegalCharacter', /minute field .*<U\+0663>.*allowed are ASCII/],
  ['full-width digits', '0 ５ * * *', 'IllegalCharacter', /hour field .*<U\+FF15>.*allowed are ASCII/],
  ['mathematical digits', '0 0 𝟓 * *', 'IllegalCharacter', /day-of-month field .*<U\+1D7D3>.*allowed are ASCII/],
  ['half of a surrogate pair', '0 0 * \ud835 *', 'IllegalCharacter', /month field .*<U\+D835>.*allowed are ASCII/],
  ['a no-break space', '0\u00a00 * * *', 'IllegalCharacter', /<U\+00A0>.*allowed are ASCII/],
  ['an invisible joiner', '0\u200d 0 * * *', 'IllegalCharacter', /minute field .*<U\+200D>.*allowed are ASCII/],
  ['NUL', `0 0 * * *${NUL}`, 'IllegalCharacter', /day-of-week field .*<U\+0000>.*allowed are ASCII/],
  ['NUL alone', NUL, 'IllegalCharacter', /minute field .*<U\+0000>.*allowed are ASCII/],
  ['a newline', '0 0 * *\n*', 'IllegalCharacter', /month field .*<U\+000A>.*allowed are ASCII/],
  ['hexadecimal', '0x10 * * * *', 'IllegalField', /minute field '0x10'.*allowed are 0 to 59/],
  ['an exponent', '1e1 * * * *', 'IllegalField', /minute field '1e1'.*allowed are 0 to 59/],
  ['an exponent in a step', '*/1e1 * * * *', 'IllegalField', /minute field '\*\/1e1'.*allowed are 0 to 59/],
  ['a sign', '+5 * * * *', 'IllegalField', /minute field '\+5'.*allowed are 0 to 59/],
  ['a fraction', '0 1.5 * * *', 'IllegalField', /hour field '1.5'.*allowed are 0 to 23/],
  ['a prototype key as macro', '@__proto__', 'UnknownMacro', /macro '@__proto__'.*allowed are @yearly/],
  ['a prototype key as name', '0 0 * * __proto__', 'IllegalField', /day-of-week field '__proto__'.*allowed are 0 to 7/],
  ['a prototype key as month', '0 0 1 constructor *', 'IllegalField', /month field 'constructor'.*allowed are 1 to 12/],
  ['30 February', '0 0 30 2 *', 'NeverFires', /'0 0 30 2 \*' can never fire: month 2/],
  ['a long interval', `@every ${'1h'.repeat(50_000)}`, 'ExpressionTooLong', /expression '@every 1h.*allowed are/],
  ['an endless cron()', `cron(${'0-59,'.repeat(150)}0 * * * ? *)`, 'IllegalAwsExpression', /longer than 256/],
];

describe('malice is refused with an error that a person can act on', () => {
  test.each(REFUSED)('%s', (_, expression, code, message) => {
    const error = refusal(() => parseSchedule(expression, { timeZone: 'UTC' }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.message.length).toBeLessThan(500);
    expect(error.message).toMatch(/^[\x20-\x7e…]+$/);
  });

  test.each([
    ['of 1 MB', 'x'.repeat(1_000_000)],
    ['with NUL', `UTC${NUL}`],
    ['that is an offset', '+05:30'],
    ["of luxon's own", 'local'],
    ['that climbs out of its folder', '../../etc/passwd'],
    ['that is a prototype key', '__proto__'],
    ['of three letters that mean five things', 'IST'],
  ])('a zone name %s', (_, timeZone) => {
    const error = refusal(() => parseSchedule('0 0 * * *', { timeZone }));
    expect(error.code).toBe('UnknownTimeZone');
    expect(error.message.length).toBeLessThan(300);
  });

  test.each([null, undefined, 5, true, {}, [null], [['* * * * *']], Symbol('x'), () => '* * * * *'])(
    'a schedule that is no text',
    (expression) => {
      expect(refusal(() => parseSchedule(expression as string, { timeZone: 'UTC' })).code).toBe('IllegalExpression');
    },
  );

  test('a fifth Monday or leap day in February is found, however rare', () => {
    const schedule = parseSchedule('0 0 29 2 1#5', { timeZone: 'UTC' });
    expect(new Date(schedule.next(Date.UTC(2096, 2, 1)) ?? 0).toISOString()).toBe('2104-02-29T00:00:00.000Z');
  });

  test('NaN is no instant', () => {
    const schedule = parseSchedule('0 0 * * *', { timeZone: 'UTC' });
    expect(refusal(() => schedule.next(Number.NaN)).code).toBe('IllegalInstant');
    expect(refusal(() => schedule.previous(Number.NaN)).code).toBe('IllegalInstant');
    expect(schedule.next(Number.POSITIVE_INFINITY)).toBeUndefined();
    expect(schedule.previous(Number.NEGATIVE_INFINITY)).toBeUndefined();
    expect(schedule.next(Number.NEGATIVE_INFINITY)).toBe(0);
    expect(schedule.previous(Number.POSITIVE_INFINITY)).toBe(Date.UTC(2199, 11, 31));
  });
});

function refusal(act: () => unknown): BelfryError {
  try {
    act();
  } catch (error) {
    if (error instanceof BelfryError) {
      return error;
    }
    throw error;
  }
  throw new Error('it was accepted');
}
