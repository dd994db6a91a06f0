import { isEveryDay } from '../cron/cron-rule.ts';
import type { CronTimetable } from '../schedule/cron-timetable.ts';
import type { IntervalTimetable } from '../schedule/interval-timetable.ts';
import { parsed, type ScheduleEntry } from '../schedule/parsed-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { MS_PER_DAY, MS_PER_MINUTE } from '../time/civil-date.ts';
import type { Zone } from '../time/zone.ts';
import { LONGEST_AWS_EXPRESSION } from './aws-grammar.ts';
import type { AwsSchedule } from './aws-schedule.ts';
import { type DayFields, type DaySet, dayFields, daySetOf, everyDay } from './day-cover.ts';
import { isWithin } from './minimal-cover.ts';
import { parseAwsExpression } from './parse-aws-expression.ts';
import {
  addMinute,
  emptyTimeSet,
  hoursText,
  minutesText,
  shifted,
  type TimeSet,
  timeFields,
  timeSetOf,
} from './time-cover.ts';

// The service fires from now on, so offsets that a zone gave up before this year do not matter to it. After 2038 every
// zone repeats the rules it has by then.
const OFFSETS_FROM = Date.UTC(2020, 0, 1);
const OFFSETS_TO = Date.UTC(2039, 0, 1);
const MINUTES_PER_DAY = 1440;

/** Times of day on days of the year, on the clock of one zone. */
interface Block {
  readonly timeZone: string;
  readonly times: TimeSet;
  readonly days: DaySet;
}

/**
 * The fewest schedules of EventBridge Scheduler that yield the schedule's instants. What the service will not fire by
 * itself under the chosen policies is told by `supplementsBetween`. `@reboot` yields none.
 *
 * An interval whose times are the same under every offset of its zone is given in UTC, where no hour is left out or
 * ambiguous; all else in the schedule's own zone.
 */
export function translateSchedule(schedule: Schedule): AwsSchedule[] {
  const { entries, zone } = parsed(schedule);
  const blocks: Block[] = [];
  const others: AwsSchedule[] = [];
  for (const entry of entries) {
    if (entry.kind === 'cron' && entry.timetable.rule.years === undefined) {
      blocks.push(blockOf(entry.timetable, zone));
    } else if (entry.kind === 'every') {
      const block = entry.isAnchored ? undefined : intervalBlock(entry.timetable);
      if (block !== undefined) {
        blocks.push(block);
      } else {
        others.push(rateOf(entry.timetable));
      }
    } else {
      others.push(...singles(entry, zone));
    }
  }
  const translated = [...merged(blocks).flatMap(expressionsOf), ...others];
  return translated.filter(
    (one, index) =>
      translated.findIndex(
        (other) =>
          other.expression === one.expression && other.timeZone === one.timeZone && other.startAt === one.startAt,
      ) === index,
  );
}

function blockOf(timetable: CronTimetable, zone: Zone): Block {
  const { rule, fold } = timetable;
  const times = timeSetOf(rule.minutes, rule.hours);
  const inUtc = fold === 'both' && isEveryDay(rule) ? timesInUtc(times, zone) : undefined;
  return inUtc === undefined
    ? { timeZone: zone.name, times, days: daySetOf(rule) }
    : { timeZone: 'UTC', times: inUtc, days: everyDay() };
}

/** The times of day in UTC, if they are the same under every offset that the zone will have. */
function timesInUtc(times: TimeSet, zone: Zone): TimeSet | undefined {
  const offsets = offsetsOf(zone);
  // A zone that keeps its clock has nothing to gain, and a time of its day would be lost to it if it ever changed.
  if (offsets.size === 1 && !isEveryHour(times)) {
    return undefined;
  }
  let inUtc: TimeSet | undefined;
  for (const offset of offsets) {
    if (offset % MS_PER_MINUTE !== 0) {
      return undefined;
    }
    const moved = shifted(times, -offset / MS_PER_MINUTE);
    if (inUtc !== undefined && !moved.every((bits, cell) => bits === inUtc?.[cell])) {
      return undefined;
    }
    inUtc = moved;
  }
  return inUtc;
}

const KNOWN_OFFSETS = new WeakMap<Zone, ReadonlySet<number>>();

function offsetsOf(zone: Zone): ReadonlySet<number> {
  const known = KNOWN_OFFSETS.get(zone);
  if (known !== undefined) {
    return known;
  }
  const offsets = new Set([zone.offsetAt(OFFSETS_FROM)]);
  for (const { offsetAfter } of zone.transitionsBetween(OFFSETS_FROM, OFFSETS_TO)) {
    offsets.add(offsetAfter);
  }
  KNOWN_OFFSETS.set(zone, offsets);
  return offsets;
}

function isEveryHour(times: TimeSet): boolean {
  return times.every((bits, cell) => bits === times[cell % 2]);
}

/** An interval that divides the day and counts from the epoch falls on the same times of every day, in UTC. */
function intervalBlock({ intervalMs, first }: IntervalTimetable): Block | undefined {
  if (MS_PER_DAY % intervalMs !== 0 || first !== intervalMs) {
    return undefined;
  }
  const times = emptyTimeSet();
  for (let minute = 0; minute < MINUTES_PER_DAY; minute += intervalMs / MS_PER_MINUTE) {
    addMinute(times, minute);
  }
  return { timeZone: 'UTC', times, days: everyDay() };
}

function rateOf({ intervalMs, first }: IntervalTimetable): AwsSchedule {
  const minutes = intervalMs / MS_PER_MINUTE;
  const [count, unit] =
    minutes % MINUTES_PER_DAY === 0
      ? [minutes / MINUTES_PER_DAY, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'hour']
        : [minutes, 'minute'];
  return { expression: `rate(${count} ${unit}${count === 1 ? '' : 's'})`, timeZone: 'UTC', startAt: first };
}

function singles(entry: ScheduleEntry, zone: Zone): AwsSchedule[] {
  if (entry.kind === 'cron') {
    return [{ expression: entry.canonical, timeZone: zone.name }];
  }
  if (entry.kind !== 'at') {
    return [];
  }
  const given = { expression: entry.canonical, timeZone: zone.name };
  const instants = entry.timetable.instants;
  const [first] = instants;
  if (
    instants.length === 1 &&
    first !== undefined &&
    parseAwsExpression(given.expression, zone.name).next(first - 1) === first
  ) {
    return [given];
  }
  return instants.map((instant) => ({
    expression: `at(${new Date(instant).toISOString().slice(0, 19)})`,
    timeZone: 'UTC',
  }));
}

/** Blocks that differ in one of times and days only become one; a block inside another goes. */
function merged(blocks: readonly Block[]): Block[] {
  const left = [...blocks];
  for (let changed = true; changed; ) {
    changed = false;
    for (let one = 0; one < left.length && !changed; one++) {
      for (let other = 0; other < left.length && !changed; other++) {
        const joined = one === other ? undefined : join(left[one] as Block, left[other] as Block);
        if (joined !== undefined) {
          left[Math.min(one, other)] = joined;
          left.splice(Math.max(one, other), 1);
          changed = true;
        }
      }
    }
  }
  return left;
}

function join(one: Block, other: Block): Block | undefined {
  if (one.timeZone !== other.timeZone) {
    return undefined;
  }
  const sameTimes = isWithin(one.times, other.times) && isWithin(other.times, one.times);
  const sameDays = isWithin(one.days, other.days) && isWithin(other.days, one.days);
  if (sameTimes) {
    return { ...one, days: united(one.days, other.days) };
  }
  if (sameDays) {
    return { ...one, times: united(one.times, other.times) };
  }
  return isWithin(other.times, one.times) && isWithin(other.days, one.days) ? one : undefined;
}

function united(one: Int32Array, other: Int32Array): Int32Array {
  return one.map((bits, cell) => bits | (other[cell] as number));
}

function expressionsOf({ timeZone, times, days }: Block): AwsSchedule[] {
  const daysOf = dayFields(days);
  return timeFields(times).flatMap((time) =>
    daysOf.flatMap((day) => cronTexts(time.minutes, time.hours, day).map((expression) => ({ expression, timeZone }))),
  );
}

/** One expression, or several with a part of the minutes or hours each where one would be too long. */
function cronTexts(minutes: readonly number[], hours: readonly number[], day: DayFields): string[] {
  const text = `cron(${minutesText(minutes)} ${hoursText(hours)} ${day.monthDays} ${day.months} ${day.weekdays} ${day.years})`;
  if (text.length <= LONGEST_AWS_EXPRESSION) {
    return [text];
  }
  const half = Math.ceil(minutes.length / 2);
  return [...cronTexts(minutes.slice(0, half), hours, day), ...cronTexts(minutes.slice(half), hours, day)];
}

export type { AwsSchedule } from './aws-schedule.ts';
