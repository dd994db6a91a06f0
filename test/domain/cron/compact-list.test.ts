import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compactList } from '../../../lib/domain/cron/compact-list.ts';
import { MINUTE } from '../../../lib/domain/cron/field.ts';
import { valuesOf } from '../../../lib/domain/cron/field-set.ts';
import { parseStandardItem, splitList, unionOf } from '../../../lib/domain/cron/standard-items.ts';

const MINUTES = { first: 0, last: 59, steps: true, stepFromStar: false };

describe('a list of values in its shortest spelling', () => {
  test.each([
    [[7], '7'],
    [[0, 40], '0,40'],
    [[10, 20, 30], '10,20,30'],
    [[0, 15, 30, 45], '0/15'],
    [[3, 13, 23, 33, 43, 53], '3/10'],
    [[0, 1, 2, 3, 4, 5, 55, 56, 57, 58, 59], '0-5,55-59'],
    [[0, 10, 20, 30], '0-30/10'],
    [Array.from({ length: 60 }, (_, index) => index), '*'],
  ])('%j', (values, wanted) => {
    expect(compactList(values, MINUTES)).toBe(wanted);
  });

  test('reads back as the same values, and is never longer than the plain list', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1 }), (values) => {
        const sorted = values.toSorted((one, other) => one - other);
        const text = compactList(sorted, MINUTES);
        const items = splitList(MINUTE, text).map((item) => parseStandardItem(MINUTE, item, text));
        expect(valuesOf(unionOf(items))).toEqual(sorted);
        expect(text.length).toBeLessThanOrEqual(sorted.join(',').length);
      }),
    );
  });
});
