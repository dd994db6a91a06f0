import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import { checkOccurrences } from '../../support/occurrence-properties.ts';
import { changingZones } from '../../support/random-schedules.ts';

test('500 random schedules agree with the brute-force matcher', () => checkOccurrences(500, [2024, 2037]));

test('an interval that divides every shift of the clock keeps its pace through gaps and folds', () => {
  const zones = changingZones();
  const nearChange = fc
    .constantFrom(...zones.keys())
    .chain((timeZone) => fc.tuple(fc.constant(timeZone), fc.constantFrom(...(zones.get(timeZone) ?? []))));
  fc.assert(
    fc.property(nearChange, fc.constantFrom(1, 2, 3, 5, 6, 10, 15, 30), ([timeZone, at], step) => {
      const schedule = parseSchedule(`*/${step} * * * *`, { timeZone });
      const occurrences = [...schedule.between(at - 12 * 3_600_000, at + 12 * 3_600_000)];
      expect(occurrences.length).toBe((24 * 60) / step);
      occurrences.forEach((instant, index) => {
        expect(instant - (occurrences[index - 1] ?? instant - step * 60_000)).toBe(step * 60_000);
      });
    }),
    { numRuns: 60 },
  );
});
