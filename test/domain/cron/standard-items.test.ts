import { describe, expect, test } from 'vitest';
import { DAY_OF_MONTH, DAY_OF_WEEK, type Field, HOUR, MINUTE, MONTH } from '../../../lib/domain/cron/field.ts';
import { valuesOf } from '../../../lib/domain/cron/field-set.ts';
import { parseStandardItem } from '../../../lib/domain/cron/standard-items.ts';

/** What an item means, counted out. */
function counted(first: number, last: number, step: number, field: Field): number[] {
  const values = new Set<number>();
  for (let value = first; value <= last; value += step) {
    values.add(field === DAY_OF_WEEK ? value % 7 : value);
  }
  return [...values].sort((one, other) => one - other);
}

describe.each([HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK])('every item of $name', (field) => {
  const { first, last } = field;
  const starLast = field === DAY_OF_WEEK ? 6 : last;
  const meant = (item: string) => valuesOf(parseStandardItem(field, item, item).set);

  test('values, ranges and steps', () => {
    expect(meant('*')).toEqual(counted(first, starLast, 1, field));
    for (let start = first; start <= last; start++) {
      expect(meant(String(start))).toEqual(counted(start, start, 1, field));
      for (let end = start; end <= last; end++) {
        expect(meant(`${start}-${end}`)).toEqual(counted(start, end, 1, field));
        for (const step of [1, 2, 3, 5, 7, 50]) {
          expect(meant(`${start}-${end}/${step}`)).toEqual(counted(start, end, step, field));
        }
      }
      for (let step = 1; step <= 40; step += 3) {
        expect(meant(`${start}/${step}`)).toEqual(counted(start, last, step, field));
        expect(meant(`*/${step}`)).toEqual(counted(first, starLast, step, field));
      }
    }
  });
});

test('a step may leave its field', () => {
  expect(valuesOf(parseStandardItem(MINUTE, '*/90', '*/90').set)).toEqual([0]);
  expect(valuesOf(parseStandardItem(MINUTE, '50/20', '50/20').set)).toEqual([50]);
});

test('names are numbers, in any case', () => {
  expect(parseStandardItem(DAY_OF_WEEK, 'mOn-FRI/2', 'mOn-FRI/2').canonical).toBe('1-5/2');
  expect(parseStandardItem(MONTH, 'jan-DEC/4', 'jan-DEC/4').canonical).toBe('1-12/4');
});
