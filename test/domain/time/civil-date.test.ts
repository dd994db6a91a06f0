import fc from 'fast-check';
import { expect, test } from 'vitest';
import { civilDate, dayOf, daysInMonth, formatWallTime, weekdayOf } from '../../../lib/domain/time/civil-date.ts';

test('days and dates are those of Date, from 1800 to 2400', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_000, max: 157_000 }), (day) => {
      const date = new Date(day * 86_400_000);
      const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
      expect(civilDate(day)).toEqual(civil);
      expect(dayOf(civil.year, civil.month, civil.day)).toBe(day);
      expect(weekdayOf(day)).toBe(date.getUTCDay());
      expect(daysInMonth(civil.year, civil.month)).toBe(new Date(Date.UTC(civil.year, civil.month, 0)).getUTCDate());
    }),
  );
});

test('a wall time is written to the minute, or to the second where it has some', () => {
  expect(formatWallTime(Date.UTC(2027, 2, 14, 2, 30))).toBe('2027-03-14T02:30');
  expect(formatWallTime(Date.UTC(2027, 2, 14, 2, 30, 5))).toBe('2027-03-14T02:30:05');
});
