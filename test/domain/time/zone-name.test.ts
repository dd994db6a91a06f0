import { expect, test } from 'vitest';
import { canonicalZoneName } from '../../../lib/domain/time/zone-name.ts';

test.each([
  ['america/new_york', 'America/New_York'],
  ['US/Pacific', 'America/Los_Angeles'],
  ['us/pacific', 'America/Los_Angeles'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['utc', 'UTC'],
  ['Etc/UTC', 'UTC'],
  ['GMT', 'UTC'],
  ['Etc/GMT+12', 'Etc/GMT+12'],
  ['Europe/Amsterdam', 'Europe/Amsterdam'],
  ['EST5EDT', 'EST5EDT'],
])('%s is known as %s', (given, wanted) => {
  expect(canonicalZoneName(given)).toBe(wanted);
  expect(canonicalZoneName(wanted)).toBe(wanted);
});

test('every zone of the runtime has a canonical name that the runtime knows', () => {
  const names = Intl.supportedValuesOf('timeZone').map(canonicalZoneName);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    expect(canonicalZoneName(name)).toBe(name);
  }
});

test.each([
  ['Europe/Berln', "did you mean 'Europe/Berlin'"],
  ['Berlin', "did you mean 'Europe/Berlin'"],
  ['Asia/Kolkatta', "did you mean 'Asia/Kolkata'"],
  ['Mars/Phobos', "use an IANA name like 'Europe/Berlin'"],
  ['IST', 'is not an IANA time zone'],
  ['PST', 'is not an IANA time zone'],
  ['SystemV/AST4', 'is not an IANA time zone'],
  ['UTC+2', 'is not an IANA time zone'],
  ['', "time zone ''"],
  ['Europe/Berlin ', "time zone 'Europe/Berlin '"],
  [`Europe/${'x'.repeat(60)}`, 'is longer than 50 characters'],
])('%j is refused: %s', (name, message) => {
  expect(() => canonicalZoneName(name)).toThrow(message);
});
