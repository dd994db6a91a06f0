import { expect, test } from 'vitest';
import { localNow } from '../../lib/cli/target.ts';

const SWEPT_AT = Date.parse('2026-06-01T12:10:00Z');

test.each([
  ['in the minute after the last look', SWEPT_AT + 3_000, SWEPT_AT + 3_000],
  ['at the last look', SWEPT_AT, SWEPT_AT],
  ['a virtual clock that is behind', SWEPT_AT + 86_400_000, SWEPT_AT + 60_000],
  ['a virtual clock that is ahead', SWEPT_AT - 1, SWEPT_AT + 60_000],
])('what a local run takes for now of which the last look is all that is known: %s', (_, systemNow, now) => {
  expect(localNow(SWEPT_AT, undefined, systemNow)).toBe(now);
});

test.each([
  [
    'where it ended, however far the watchdog was behind',
    SWEPT_AT,
    SWEPT_AT + 5 * 86_400_000,
    SWEPT_AT + 5 * 86_400_000,
  ],
  [
    'the minute of the last look, where it was killed long after it began',
    SWEPT_AT,
    SWEPT_AT - 86_400_000,
    SWEPT_AT + 60_000,
  ],
  ['where it ended, before the watchdog ever looked', undefined, SWEPT_AT, SWEPT_AT],
])('and of a run that is over: %s', (_, sweptAt, remembered, now) => {
  expect(localNow(sweptAt, remembered, Date.parse('2026-12-01T00:00:00Z'))).toBe(now);
});
