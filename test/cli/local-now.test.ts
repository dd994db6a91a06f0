import { expect, test } from 'vitest';
import { localNow } from '../../lib/cli/target.ts';

const SWEPT_AT = Date.parse('2026-06-01T12:10:00Z');

test.each([
  ['in the minute after the last look', SWEPT_AT + 3_000, SWEPT_AT + 3_000],
  ['at the last look', SWEPT_AT, SWEPT_AT],
  ['a virtual clock that is behind', SWEPT_AT + 86_400_000, SWEPT_AT + 60_000],
  ['a virtual clock that is ahead', SWEPT_AT - 1, SWEPT_AT + 60_000],
])('what a local run takes for now, %s', (_, systemNow, now) => {
  expect(localNow(SWEPT_AT, systemNow)).toBe(now);
});
