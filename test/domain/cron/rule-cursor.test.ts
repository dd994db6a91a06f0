import { describe, expect, test } from 'vitest';
import { parseUnixCron } from '../../../lib/domain/cron/parse-unix-cron.ts';
import { NEVER, RuleCursor } from '../../../lib/domain/cron/rule-cursor.ts';

const minute = (text: string) => Date.parse(`${text}Z`) / 60_000;

function cursor(expression: string): RuleCursor {
  return new RuleCursor(parseUnixCron(expression).rule);
}

describe('the wall clock, forwards and backwards', () => {
  test.each([
    ['0 0 29 2 *', '2096-03-01T00:00', '2104-02-29T00:00', '2096-02-29T00:00'],
    ['0 0 * 2 1#5', '2044-03-01T00:00', '2072-02-29T00:00', '2044-02-29T00:00'],
    ['59 23 31 12 *', '2026-12-31T23:59', '2026-12-31T23:59', '2026-12-31T23:59'],
    ['30 12 1 1 *', '2026-01-01T12:31', '2027-01-01T12:30', '2026-01-01T12:30'],
    ['0 0 31W * *', '2026-08-01T00:00', '2026-08-31T00:00', '2026-07-31T00:00'],
  ])('%s at %s', (expression, at, next, previous) => {
    expect(cursor(expression).next(minute(at))).toBe(minute(next));
    expect(cursor(expression).previous(minute(at))).toBe(minute(previous));
  });

  test('reaches a little beyond 1970 and 2199, as wall clocks do, and ends', () => {
    expect(cursor('0 12 * * *').previous(minute('1970-01-01T00:00'))).toBe(minute('1969-12-31T12:00'));
    expect(cursor('0 0 1 1 *').previous(minute('1969-12-29T00:00'))).toBe(NEVER);
    expect(cursor('0 0 1 1 *').next(Number.MIN_SAFE_INTEGER)).toBe(0);
    expect(cursor('0 0 1 1 *').next(minute('2199-01-01T00:01'))).toBe(minute('2200-01-01T00:00'));
    expect(cursor('0 0 1 1 *').next(minute('2250-01-01T00:00'))).toBe(NEVER);
    expect(cursor('0 0 1 1 *').previous(minute('2250-01-01T00:00'))).toBe(minute('2200-01-01T00:00'));
  });
});
