import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Zone, zoneNamed } from '../../../lib/domain/time/zone.ts';

const FIRST = Date.UTC(1970, 0, 1);
const LAST = Date.UTC(2199, 11, 31);
const ZONES = Intl.supportedValuesOf('timeZone');

function intlOffset(timeZone: string, instant: number): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
  const [, sign, hours, minutes, seconds = '00'] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(instant)) ?? [];
  const size = (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

describe('offsets', () => {
  test('are those of Intl, in every zone, at any time from 1970 to 2199, in whatever order they are asked for', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.array(fc.integer({ min: FIRST / 1000, max: LAST / 1000 }), { minLength: 1, maxLength: 2 }),
        (name, seconds) => {
          const zone = zoneNamed(name);
          for (const second of seconds) {
            expect(zone.offsetAt(second * 1000)).toBe(intlOffset(name, second * 1000));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of 44 minutes and 30 seconds: Monrovia until 1972', () => {
    const zone = new Zone('Africa/Monrovia');
    expect(zone.offsetAt(Date.UTC(1971, 0, 1))).toBe(-(44 * 60 + 30) * 1000);
    expect([...zone.transitionsBetween(Date.UTC(1971, 0, 1), Date.UTC(1973, 0, 1))]).toEqual([
      { at: Date.UTC(1972, 0, 7, 0, 44, 30), offsetBefore: -2_670_000, offsetAfter: 0 },
    ]);
  });
});

describe('transitions', () => {
  test.each([
    ['America/New_York', 2026, ['2026-03-08T07:00:00.000Z', '2026-11-01T06:00:00.000Z']],
    ['Australia/Lord_Howe', 2026, ['2026-04-04T15:00:00.000Z', '2026-10-03T15:30:00.000Z']],
    ['Antarctica/Troll', 2026, ['2026-03-29T01:00:00.000Z', '2026-10-25T01:00:00.000Z']],
    ['Pacific/Apia', 2011, ['2011-04-02T14:00:00.000Z', '2011-09-24T14:00:00.000Z', '2011-12-30T10:00:00.000Z']],
    ['America/Recife', 2000, ['2000-02-27T02:00:00.000Z', '2000-10-08T03:00:00.000Z', '2000-10-15T02:00:00.000Z']],
    ['America/New_York', 2199, ['2199-03-10T07:00:00.000Z', '2199-11-03T06:00:00.000Z']],
    ['Asia/Tokyo', 2026, []],
  ])('%s in %i', (name, year, wanted) => {
    const changes = [...new Zone(name).transitionsBetween(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1))];
    expect(changes.map(({ at }) => new Date(at).toISOString())).toEqual(wanted);
  });

  test('go on while somebody looks far back in between', () => {
    const zone = new Zone('Europe/Berlin');
    const found: number[] = [];
    for (const { at } of zone.transitionsBetween(Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1))) {
      found.push(new Date(at).getUTCFullYear());
      zone.offsetAt(Date.UTC(2020 - found.length * 5, 6, 1));
    }
    expect(found).toEqual([2026, 2026, 2027, 2027]);
  });

  test('are the same from either side', () => {
    const forward = new Zone('Europe/London');
    const backward = new Zone('Europe/London');
    backward.offsetAt(Date.UTC(2030, 0, 1));
    backward.offsetAt(Date.UTC(1990, 0, 1));
    const years = (zone: Zone) => [...zone.transitionsBetween(Date.UTC(1990, 0, 1), Date.UTC(2030, 0, 1))];
    expect(years(backward)).toEqual(years(forward));
    expect(years(forward)).toHaveLength(80);
  });
});
