/**
 * When is a schedule due, found by looking at every minute. Slow, plain, and without a line in common with lib/: its
 * offsets come from Intl, its calendar from Date.UTC, its grammar from regular expressions.
 */
export interface BruteForceOptions {
  readonly timeZone: string;
  readonly gap: 'skip' | 'runAfter';
  /** Undefined: `both` for an hour field that starts with `*`, else `first`. */
  readonly fold: 'first' | 'second' | 'both' | undefined;
}

interface CivilDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

interface Matcher {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly isDay: DayMatcher;
}

type DayMatcher = (day: CivilDay) => boolean;

const MINUTE_MS = 60_000;
const NAMES: Record<string, string> = {};
for (const [index, name] of 'sun mon tue wed thu fri sat'.split(' ').entries()) NAMES[name] = String(index);
for (const [index, name] of 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ').entries()) {
  NAMES[name] = String(index + 1);
}

/** Occurrences of unix expressions after `from` (exclusive) up to `to` (inclusive). */
export function bruteForceOccurrences(
  expressions: readonly string[],
  { timeZone, gap, fold }: BruteForceOptions,
  from: number,
  to: number,
): number[] {
  const found = new Set<number>();
  for (const expression of expressions) {
    const ownFold = fold ?? (expression.trim().split(/\s+/)[1]?.startsWith('*') ? 'both' : 'first');
    for (const instant of matchMinutes(unixMatcher(expression), timeZone, gap, ownFold, from, to)) {
      found.add(instant);
    }
  }
  return [...found].sort((one, other) => one - other);
}

/** Firings of AWS expressions: gaps skipped, the first pass of a fold only, `rate` from its start on. */
export function bruteForceFirings(
  schedules: readonly { expression: string; timeZone: string; startAt?: number }[],
  from: number,
  to: number,
): number[] {
  const found = new Set<number>();
  for (const { expression, timeZone, startAt } of schedules) {
    const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
    if (rate !== null) {
      const step =
        Number(rate[1]) * MINUTE_MS * { minute: 1, hour: 60, day: 1440 }[rate[2] as 'minute' | 'hour' | 'day'];
      for (let instant = startAt ?? Number.NaN; instant <= to; instant += step) {
        if (instant > from) found.add(instant);
      }
      continue;
    }
    for (const instant of matchMinutes(awsMatcher(expression), timeZone, 'skip', 'first', from, to)) {
      found.add(instant);
    }
  }
  return [...found].sort((one, other) => one - other);
}

function matchMinutes(
  matches: Matcher,
  timeZone: string,
  gap: 'skip' | 'runAfter',
  fold: 'first' | 'second' | 'both',
  from: number,
  to: number,
): number[] {
  const margin = 30 * 60 * MINUTE_MS;
  const shownAt = new Map<number, number[]>();
  const found: number[] = [];
  let previous: number | undefined;
  const last = Math.ceil((to + margin) / MINUTE_MS);
  for (const { instant, wall } of wallMinutes(timeZone, Math.floor((from - margin) / MINUTE_MS), last)) {
    if (isMatch(matches, wall)) shownAt.set(wall, [...(shownAt.get(wall) ?? []), instant]);
    if (gap === 'runAfter' && previous !== undefined && wall > previous + 1) {
      const lost = Array.from({ length: wall - previous - 1 }, (_, index) => wall - 1 - index);
      if (lost.some((minute) => isMatch(matches, minute))) found.push(instant);
    }
    previous = wall;
  }
  for (const instants of shownAt.values()) {
    const first = instants[0] as number;
    const second = instants[instants.length - 1] as number;
    found.push(...(fold === 'both' ? instants : [fold === 'first' ? first : second]));
  }
  return [...new Set(found)].filter((instant) => instant > from && instant <= to).sort((one, other) => one - other);
}

/** Each minute with what the zone's clock shows, both counted from 1970-01-01T00:00. */
function* wallMinutes(timeZone: string, first: number, last: number): Generator<{ instant: number; wall: number }> {
  const step = 30;
  let after = offsetMinutes(timeZone, first);
  for (let start = first; start <= last; start += step) {
    const before = after;
    after = offsetMinutes(timeZone, start + step);
    for (let minute = start; minute < start + step && minute <= last; minute++) {
      const offset = before === after ? before : offsetMinutes(timeZone, minute);
      yield { instant: minute * MINUTE_MS, wall: minute + offset };
    }
  }
}

/** The time of day first: it rules out nearly every minute, and needs no calendar. */
function isMatch({ minutes, hours, isDay }: Matcher, wall: number): boolean {
  const minuteOfDay = ((wall % 1440) + 1440) % 1440;
  return minutes.has(minuteOfDay % 60) && hours.has(Math.floor(minuteOfDay / 60)) && isDay(dateOf(wall));
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

function offsetMinutes(timeZone: string, minute: number): number {
  if (timeZone === 'UTC') return 0;
  let format = FORMATS.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
    FORMATS.set(timeZone, format);
  }
  const text = format.format(minute * MINUTE_MS);
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(text) ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function dateOf(wall: number): CivilDay {
  const date = new Date(wall * MINUTE_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function unixMatcher(expression: string): Matcher {
  const [minute = '', hour = '', monthDay = '', month = '', weekday = ''] = expression.trim().split(/\s+/);
  const minutes = numbers(minute, 0, 59);
  const hours = numbers(hour, 0, 23);
  const months = numbers(month, 1, 12);
  const onMonthDay = monthDay.split(',').map(monthDayMatcher);
  const onWeekday = weekday.split(',').map((item) => weekdayMatcher(item, 0));
  const isFree = (text: string) => text === '*' || text === '?';
  const isDay: DayMatcher = (wall) => {
    if (!months.has(wall.month)) return false;
    if (isFree(monthDay) && isFree(weekday)) return true;
    if (isFree(monthDay)) return onWeekday.some((matches) => matches(wall));
    if (isFree(weekday)) return onMonthDay.some((matches) => matches(wall));
    return onMonthDay.some((matches) => matches(wall)) || onWeekday.some((matches) => matches(wall));
  };
  return { minutes, hours, isDay };
}

function awsMatcher(expression: string): Matcher {
  const fields = /^cron\((\S+) (\S+) (\S+) (\S+) (\S+) (\S+)\)$/.exec(expression);
  if (fields === null) throw new Error(`not cron(): ${expression}`);
  const [, minute = '', hour = '', monthDay = '', month = '', weekday = '', year = ''] = fields;
  if ((monthDay === '?') === (weekday === '?')) throw new Error(`one day field must be '?': ${expression}`);
  if (weekday.includes('/') || /[LW#].*,|,.*[LW#]/.test(`${monthDay} ${weekday}`))
    throw new Error(`refused: ${expression}`);
  const minutes = numbers(minute, 0, 59);
  const hours = numbers(hour, 0, 23);
  const months = numbers(month, 1, 12);
  const years = numbers(year, 1970, 2199);
  const onDay = (monthDay === '?' ? weekday : monthDay)
    .split(',')
    .map(monthDay === '?' ? (item) => weekdayMatcher(item, 1) : monthDayMatcher);
  return {
    minutes,
    hours,
    isDay: (wall) => months.has(wall.month) && years.has(wall.year) && onDay.some((matches) => matches(wall)),
  };
}

function monthDayMatcher(item: string): DayMatcher {
  const lastDay = ({ year, month }: CivilDay) => new Date(Date.UTC(year, month, 0)).getUTCDate();
  const upper = item.toUpperCase();
  if (upper === 'L') return (wall) => wall.day === lastDay(wall);
  if (upper.startsWith('L-')) return (wall) => wall.day === lastDay(wall) - Number(upper.slice(2));
  if (upper.endsWith('W')) {
    return (wall) => {
      const wanted = upper === 'LW' ? lastDay(wall) : Number(upper.slice(0, -1));
      if (wanted > lastDay(wall)) return false;
      const workdays = Array.from({ length: lastDay(wall) }, (_, index) => index + 1).filter((day) => {
        const weekday = weekdayOf({ ...wall, day });
        return weekday >= 1 && weekday <= 5;
      });
      workdays.sort((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted));
      return wall.day === workdays[0];
    };
  }
  const days = numbers(item, 1, 31);
  return (wall) => days.has(wall.day);
}

/** `sunday` is the number that the dialect gives to Sunday. */
function weekdayMatcher(item: string, sunday: 0 | 1): DayMatcher {
  const toWeekday = (text: string) => (Number(NAMES[text.toLowerCase()] ?? Number(text) - sunday) + 7) % 7;
  const special = /^(\w+?)(?:L|#(\d))$/i.exec(item);
  if (special !== null) {
    const weekday = toWeekday(special[1] as string);
    return (wall) => {
      if (weekdayOf(wall) !== weekday) return false;
      const length = new Date(Date.UTC(wall.year, wall.month, 0)).getUTCDate();
      return special[2] === undefined ? wall.day + 7 > length : Math.ceil(wall.day / 7) === Number(special[2]);
    };
  }
  const weekdays = new Set([...numbers(item, sunday, 7)].map((value) => (value - sunday) % 7));
  return (wall) => weekdays.has(weekdayOf(wall));
}

function weekdayOf({ year, month, day }: Pick<CivilDay, 'year' | 'month' | 'day'>): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

function numbers(text: string, first: number, last: number): Set<number> {
  const values = new Set<number>();
  for (const item of text.toLowerCase().split(',')) {
    const [base = '', step] = item.split('/');
    const [start = '', end] = base.split('-').map((part) => NAMES[part] ?? part);
    const from = start === '*' ? first : Number(start);
    const to = start === '*' || (end === undefined && step !== undefined) ? last : Number(end ?? start);
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}
