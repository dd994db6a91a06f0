import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareOccurrences } from '../../../lib/domain/plan/compare-occurrences.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import { changingZones, type RandomSchedule, randomSchedule } from '../../support/random-schedules.ts';

const DAY_MS = 86_400_000;
const zones = changingZones();
const scheduleOf = ({ expressions, timeZone, gap, fold }: RandomSchedule) =>
  parseSchedule(expressions, { timeZone, dst: { gap, ...(fold === undefined ? {} : { fold }) } });

test('what appears, vanishes and moves agrees with both enumerations, near clock changes too', () => {
  const random = randomSchedule(zones, [2026, 2030]);
  fc.assert(
    fc.property(random, random, fc.boolean(), (one, other, isZoneOnly) => {
      const before = scheduleOf(one);
      const after = scheduleOf(isZoneOnly ? { ...one, timeZone: other.timeZone } : other);
      const span = { from: one.from, to: one.from + 3 * DAY_MS };
      const within = (instants: readonly number[]) => instants.filter((at) => at <= span.to);
      const { kept, appear, vanish, moved, lapsed, repeated } = compareOccurrences(before, after, span);
      const was = [...before.between(span.from, span.to)];
      const is = [...after.between(span.from, span.to)];
      const gone = [...vanish, ...within(moved.map(({ from }) => from))].sort((a, b) => a - b);
      const fresh = [...appear, ...within(moved.map(({ to }) => to))].sort((a, b) => a - b);
      expect(gone).toEqual(was.filter((at) => !is.includes(at)));
      expect(fresh).toEqual(is.filter((at) => !was.includes(at)));
      expect(kept).toBe(was.length - gone.length);
      expect(vanish).toEqual(expect.arrayContaining(lapsed.map(({ from }) => from)));
      expect(appear).toEqual(expect.arrayContaining(repeated.map(({ to }) => to)));
      for (const { from, to } of moved) expect([before.next(from - 1), after.next(to - 1)]).toEqual([from, to]);
    }),
    { numRuns: 150 },
  );
});

test('a schedule compared with itself changes nothing', () => {
  fc.assert(
    fc.property(randomSchedule(zones, [2026, 2030]), (one) => {
      const schedule = scheduleOf(one);
      const changes = compareOccurrences(schedule, schedule, { from: one.from, to: one.from + 3 * DAY_MS });
      expect(changes).toMatchObject({ appear: [], vanish: [], moved: [] });
    }),
    { numRuns: 50 },
  );
});
