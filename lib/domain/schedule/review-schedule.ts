import { isEveryDay } from '../cron/cron-rule.ts';
import { valuesOf } from '../cron/field-set.ts';
import { formatWallTime, MS_PER_DAY } from '../time/civil-date.ts';
import { RECENT_NAMES } from '../time/zone-name.ts';
import { type ClockChange, clockChangesBetween } from './clock-changes.ts';
import { type ParsedSchedule, parsed, type ScheduleEntry } from './parsed-schedule.ts';
import { reviewFields } from './review-fields.ts';
import type { Schedule } from './schedule.ts';
import type { ScheduleWarning } from './warning.ts';

/** How far ahead changes of the clock are looked for. */
export const OUTLOOK_MS = 3 * 366 * MS_PER_DAY;
const RARE_MS = 366 * MS_PER_DAY;
/** More runs a day than this are worth a word about what they cost. */
const MANY_RUNS = 288;

/**
 * What a person should know about a schedule that is allowed: steps that do not divide, days that few months have, days
 * that are meant by either field, changes of the clock in the three years after `from`, rare and costly schedules.
 */
export function reviewSchedule(schedule: Schedule, from: number): ScheduleWarning[] {
  const subject = parsed(schedule);
  const warnings = [
    ...subject.entries.flatMap((entry) => [...reviewEntry(entry)]),
    ...reviewClockChanges(subject, from),
    ...reviewElapsedDays(subject, from),
    ...reviewRareness(subject, from),
    ...reviewZoneName(subject),
  ];
  return warnings.filter(
    ({ code, message }, index) =>
      warnings.findIndex((other) => other.code === code && other.message === message) === index,
  );
}

function* reviewEntry(entry: ScheduleEntry): Generator<ScheduleWarning> {
  if (entry.kind === 'reboot') {
    yield {
      code: 'OnDeployment',
      message: `'@reboot' means once after each deployment: it has no times of its own, none can be missed, and no schedule is made for it`,
    };
  }
  if (entry.kind === 'cron') {
    const { rule } = entry.timetable;
    const runs = valuesOf(rule.minutes).length * valuesOf(rule.hours).length;
    if (runs >= MANY_RUNS) {
      yield costly(entry.canonical, runs, isEveryDay(rule));
    }
    if (entry.unix !== undefined) {
      yield* reviewFields(entry.unix);
    }
  }
  if (entry.kind === 'every' && MS_PER_DAY / entry.timetable.intervalMs >= MANY_RUNS) {
    yield costly(entry.canonical, Math.floor(MS_PER_DAY / entry.timetable.intervalMs), true);
  }
}

function costly(expression: string, runs: number, isDaily: boolean): ScheduleWarning {
  const often = isDaily
    ? `${runs.toLocaleString('en-US')} runs a day, ${(runs * 30).toLocaleString('en-US')} in 30 days`
    : `${runs.toLocaleString('en-US')} runs on each of its days`;
  return { code: 'ManyRuns', message: `'${expression}' means ${often}, each of them billed` };
}

function* reviewClockChanges(schedule: ParsedSchedule, from: number): Generator<ScheduleWarning> {
  const seen = new Set<string>();
  for (const change of clockChangesBetween(schedule, from, from + OUTLOOK_MS)) {
    const key = `${change.expression} ${change.kind}`;
    if (!seen.has(key)) {
      seen.add(key);
      yield change.kind === 'gap' ? gapWarning(schedule, change) : foldWarning(schedule, change);
    }
  }
}

function gapWarning({ timeZone, zone }: ParsedSchedule, change: ClockChange): ScheduleWarning {
  const what = `'${change.expression}': ${timesOf(change)} not exist on ${dateOf(change)} in ${timeZone}`;
  if (change.effect === 'runAfter') {
    const at = formatWallTime(change.at + zone.offsetAt(change.at)).slice(11);
    return { code: 'RunsAfterGap', message: `${what}: it runs at ${at} instead, the first time after the gap` };
  }
  return {
    code: 'SkippedInGap',
    message: `${what}: there is no run for it, and none is missing; with dst.gap 'runAfter' it would run right after the gap`,
  };
}

function foldWarning({ timeZone, entries }: ParsedSchedule, change: ClockChange): ScheduleWarning {
  const isInterval = entries.some(
    (entry) => entry.kind === 'cron' && entry.canonical === change.expression && entry.timetable.rule.isInterval,
  );
  const minutes = -change.shiftMinutes;
  const when = `on ${dateOf(change)} the clock of ${timeZone} shows ${minutes} minutes twice`;
  if (isInterval) {
    return change.effect === 'bothPasses'
      ? {
          code: 'IntervalInFold',
          message: `'${change.expression}': ${when}, and it runs in both passes, because its hour field starts with '*'; with dst.fold 'first' it would be silent in the second`,
        }
      : {
          code: 'IntervalPausesInFold',
          message: `'${change.expression}': ${when}, and it is silent in one of the passes; without dst.fold an interval runs in both`,
        };
  }
  const runs = { firstPass: 'once, at the first pass', secondPass: 'once, at the second pass', bothPasses: 'twice' };
  const does = change.effect in runs ? runs[change.effect as keyof typeof runs] : 'once';
  return {
    code: 'TwiceInFold',
    message: `'${change.expression}': ${when}, ${timesOf(change, 'among them')}: it runs ${does}`,
  };
}

function timesOf({ wallTimes, count }: ClockChange, lead?: string): string {
  const times = wallTimes.map((time) => time.slice(11));
  const listed = `${times.slice(0, 3).join(', ')}${count > 3 ? ` and ${count - 3} more` : ''}`;
  return lead === undefined ? `${listed} ${count === 1 ? 'does' : 'do'}` : `${lead} ${listed}`;
}

function dateOf({ wallTimes }: ClockChange): string {
  return (wallTimes[0] ?? '').slice(0, 10);
}

function* reviewElapsedDays({ entries, zone, timeZone }: ParsedSchedule, from: number): Generator<ScheduleWarning> {
  const [change] = zone.transitionsBetween(from, from + OUTLOOK_MS);
  const daily = entries.find((entry) => entry.kind === 'every' && entry.timetable.intervalMs % MS_PER_DAY === 0);
  if (daily !== undefined && change !== undefined) {
    const date = formatWallTime(change.at + change.offsetBefore).slice(0, 10);
    yield {
      code: 'ElapsedDays',
      message: `'${daily.canonical}' counts 24 hours of elapsed time for a day: its wall-clock time in ${timeZone} moves on ${date}; for a fixed time of day write e.g. '0 8 * * *'`,
    };
  }
}

function* reviewRareness(schedule: ParsedSchedule, from: number): Generator<ScheduleWarning> {
  if (schedule.entries.every((entry) => entry.kind === 'reboot' || entry.kind === 'at')) {
    return;
  }
  const first = schedule.next(from);
  if (first === undefined) {
    yield {
      code: 'NoOccurrence',
      message: `'${schedule.expressions.join("', '")}' has no occurrence after ${new Date(from).toISOString()}: its times always fall into a gap of ${schedule.timeZone}, or its years are over`,
    };
    return;
  }
  const second = schedule.next(first);
  if (first - from > RARE_MS || second === undefined || second - first > RARE_MS) {
    const dates = [first, second, second === undefined ? undefined : schedule.next(second)]
      .filter((instant) => instant !== undefined)
      .map((instant) => new Date(instant).toISOString().slice(0, 10));
    yield {
      code: 'Rare',
      message: `'${schedule.expressions.join("', '")}' is due less than once a year: ${dates.join(', ')}${second === undefined ? ', and then never again' : ''}; it will hardly be noticed when it fails`,
    };
  }
}

function* reviewZoneName({ timeZone, givenTimeZone, zone }: ParsedSchedule): Generator<ScheduleWarning> {
  const older = RECENT_NAMES.get(timeZone);
  if (older !== undefined) {
    yield {
      code: 'RecentZoneName',
      message: `time zone ${timeZone} is a recent name: systems with an older tz database know it as ${older} only`,
    };
  }
  if (/^Etc\/GMT[+-]/.test(timeZone)) {
    const hours = zone.offsetAt(0) / 3_600_000;
    yield {
      code: 'InvertedZoneSign',
      message: `time zone ${timeZone} is ${Math.abs(hours)} hours ${hours < 0 ? 'behind' : 'ahead of'} UTC: these names have their sign the other way round`,
    };
  }
  if (timeZone.toLowerCase() !== givenTimeZone.toLowerCase() && timeZone !== 'UTC') {
    yield {
      code: 'ZoneAlias',
      message: `time zone ${givenTimeZone} is another name of ${timeZone}, which is kept`,
    };
  }
}
