import { IANAZone } from 'luxon';
import { BelfryError } from '../errors.ts';
import { quote } from '../quote.ts';
import { closestTo } from './closest.ts';

/** Longest zone name that a schedule may carry. */
const LONGEST = 50;
const SHAPE = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,2}$/;

// The IANA names without a slash. Runtimes also know three-letter names of their own (IST, PST, CST) that mean different
// zones to different people; those are refused.
const WITHOUT_SLASH = new Set(
  (
    'UTC GMT UCT Zulu Universal Greenwich GMT0 GMT+0 GMT-0 EST MST HST EST5EDT CST6CDT MST7MDT PST8PDT CET EET MET WET ' +
    'Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya Navajo NZ NZ-CHAT Poland ' +
    'Portugal PRC ROC ROK Singapore Turkey W-SU'
  )
    .toLowerCase()
    .split(' '),
);

// Runtimes resolve a name to the one that CLDR first knew it by; these have a newer name in the IANA database.
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
]);

/** Names that the tz database took up in 2021 or later, with the name that older databases have. */
export const RECENT_NAMES: ReadonlyMap<string, string> = new Map([
  ['Europe/Kyiv', 'Europe/Kiev'],
  ['Pacific/Kanton', 'Pacific/Enderbury'],
  ['America/Ciudad_Juarez', 'America/Ojinaga'],
]);

/**
 * The one name under which a zone is known here: an IANA name, in the database's spelling, links resolved
 * (`us/pacific` is `America/Los_Angeles`), so that a job has one key however its zone was written.
 * @throws BelfryError `UnknownTimeZone`, naming the value and close names.
 */
export function canonicalZoneName(name: string): string {
  if (typeof name !== 'string' || name.length > LONGEST || !isIanaShaped(name) || !IANAZone.isValidZone(name)) {
    throw unknownZone(name);
  }
  const resolved = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  return RENAMED.get(resolved) ?? resolved;
}

function isIanaShaped(name: string): boolean {
  return SHAPE.test(name) && (name.includes('/') ? !/^systemv\//i.test(name) : WITHOUT_SLASH.has(name.toLowerCase()));
}

function unknownZone(name: unknown): BelfryError {
  const close = typeof name === 'string' && name.length <= LONGEST ? closestTo(name, knownNames(), cityOf) : [];
  const advice =
    close.length > 0
      ? `did you mean ${close.map((candidate) => `'${candidate}'`).join(' or ')}?`
      : `use an IANA name like 'Europe/Berlin', 'America/New_York' or 'UTC'`;
  const reason =
    typeof name === 'string' && name.length > LONGEST
      ? `is longer than ${LONGEST} characters`
      : 'is not an IANA time zone of this runtime';
  return new BelfryError('UnknownTimeZone', `time zone ${quote(name)} ${reason}: ${advice}`);
}

function knownNames(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').map((name) => RENAMED.get(name) ?? name)];
}

function cityOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
