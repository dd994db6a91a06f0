import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextIn, previousIn, setOf, valuesOf } from '../../../lib/domain/cron/field-set.ts';

test('a set finds its next and previous member like a sorted list does', () => {
  const members = fc.uniqueArray(fc.integer({ min: 0, max: 59 }));
  fc.assert(
    fc.property(members, fc.integer({ min: -1, max: 61 }), (values, at) => {
      const sorted = values.toSorted((one, other) => one - other);
      const { low, high } = setOf(values);
      expect(valuesOf({ low, high })).toEqual(sorted);
      expect(previousIn(low, high, at)).toBe(sorted.findLast((value) => value <= at) ?? -1);
      if (at >= 0) {
        expect(nextIn(low, high, at)).toBe(sorted.find((value) => value >= at) ?? -1);
      }
    }),
  );
});
