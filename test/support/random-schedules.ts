import fc from 'fast-check';
import type { FoldPolicy, GapPolicy } from '../../lib/domain/job.ts';

export interface RandomSchedule {
  readonly expressions: readonly string[];
  readonly timeZone: string;
  readonly gap: GapPolicy;
  readonly fold: FoldPolicy | undefined;
  readonly from: number;
}

const FIRST = Date.UTC(2024, 0, 1);
const LAST = Date.UTC(2038, 0, 1);
const HOUR_MS = 3_600_000;

/** Zones of the runtime that change their offset in 2024 to 2037, each with its changes, to the hour. */
export function changingZones(): Map<string, number[]> {
  const zones = new Map<string, number[]>();
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    const changes = changesOf(timeZone);
    if (changes.length > 0) {
      zones.set(timeZone, changes);
    }
  }
  return zones;
}

function changesOf(timeZone: string): number[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
  const offset = (instant: number) => format.format(instant).split('GMT')[1];
  const changes: number[] = [];
  const step = 6 * 24 * HOUR_MS;
  for (let start = FIRST; start < LAST; start += step) {
    const before = offset(start);
    if (before !== offset(start + step)) {
      let low = start;
      let high = start + step;
      while (high - low > HOUR_MS) {
        const middle = low + Math.floor((high - low) / HOUR_MS / 2) * HOUR_MS;
        if (offset(middle) === before) low = middle;
        else high = middle;
      }
      changes.push(high);
    }
  }
  return changes;
}

/** Schedules that people could write, mostly close to a change of the clock, else at any time of the years. */
export function randomSchedule(
  zones: ReadonlyMap<string, readonly number[]>,
  years: readonly [first: number, last: number],
): fc.Arbitrary<RandomSchedule> {
  const zone = fc.constantFrom(...zones.keys());
  return zone.chain((timeZone) => {
    const change = fc.constantFrom(...(zones.get(timeZone) ?? []));
    const nearChange = fc
      .tuple(change, fc.integer({ min: -40 * 60, max: 6 * 60 }))
      .map(([at, minutes]) => at + minutes * 60_000);
    const anyTime = fc
      .integer({ min: Date.UTC(years[0], 0, 1) / 1000, max: Date.UTC(years[1], 11, 25) / 1000 })
      .map((seconds) => seconds * 1000);
    return fc.record({
      expressions: fc.oneof(
        { weight: 4, arbitrary: fc.tuple(expression()) },
        { weight: 1, arbitrary: fc.array(expression(), { minLength: 2, maxLength: 3 }) },
      ),
      timeZone: fc.constant(timeZone),
      gap: fc.constantFrom('skip' as const, 'runAfter' as const),
      fold: fc.constantFrom(undefined, 'first' as const, 'second' as const, 'both' as const),
      from: fc.oneof({ weight: 4, arbitrary: nearChange }, { weight: 1, arbitrary: anyTime }),
    });
  });
}

function expression(): fc.Arbitrary<string> {
  const months = fc.oneof(
    { weight: 5, arbitrary: fc.constant('*') },
    { weight: 1, arbitrary: field(1, 12, monthNames) },
  );
  return fc
    .tuple(
      fc.oneof({ weight: 2, arbitrary: fc.constantFrom('0', '30', '59', '*/15', '*/30', '*') }, field(0, 59)),
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom('*', '*/2', '0', '1', '2', '3', '23', '0-3') }, field(0, 23)),
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom('*', '?') }, monthDays()),
      months,
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom('*', '?') }, weekdays()),
    )
    .map((fields) => fields.join(' '));
}

const monthNames = 'Jan FEB mar APR may JUN jul AUG sep OCT nov DEC'.split(' ');
const weekdayNames = 'SUN mon Tue WED thu FRI sat'.split(' ');

function field(first: number, last: number, names: readonly string[] = []): fc.Arbitrary<string> {
  const value = fc.integer({ min: first, max: last });
  const written = (number: number, named: boolean) => (named && names[number - first]) || String(number);
  const step = fc.integer({ min: 1, max: last - first });
  const item = fc.oneof(
    fc.tuple(value, fc.boolean()).map(([number, named]) => written(number, named)),
    fc.tuple(value, value).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
    fc.tuple(value, value, step).map(([one, other, by]) => `${Math.min(one, other)}-${Math.max(one, other)}/${by}`),
    step.map((by) => `*/${by}`),
    fc.tuple(value, step).map(([start, by]) => `${start}/${by}`),
  );
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
}

function monthDays(): fc.Arbitrary<string> {
  const day = fc.integer({ min: 1, max: 31 });
  const special = fc.oneof(
    fc.constantFrom('L', 'LW', 'l'),
    day.map((number) => `${number}W`),
  );
  return fc.oneof(
    field(1, 31),
    special,
    fc.tuple(field(1, 31), special).map((items) => items.join(',')),
    fc.tuple(special, special).map((items) => items.join(',')),
  );
}

function weekdays(): fc.Arbitrary<string> {
  const weekday = fc.oneof(fc.integer({ min: 0, max: 7 }).map(String), fc.constantFrom(...weekdayNames));
  const special = fc.oneof(
    fc.tuple(weekday, fc.integer({ min: 1, max: 5 })).map(([name, week]) => `${name}#${week}`),
    weekday.map((name) => `${name}L`),
  );
  return fc.oneof(
    field(0, 7),
    special,
    fc.tuple(weekday, special).map((items) => items.join(',')),
    fc.tuple(special, special).map((items) => items.join(',')),
  );
}
