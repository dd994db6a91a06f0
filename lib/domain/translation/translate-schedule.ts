import { isEveryDay } from '../cron/cron-rule.ts';
import type { CronTimetable } from '../schedule/cron-timetable.ts';
import type { IntervalTimetable } from '../schedule/interval-timetable.ts';
import { parsed, type ScheduleEntry } from '../schedule/parsed-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { MINUTES_PER_DAY, MS_PER_MINUTE } from '../time/civil-date.ts';
import type { Zone } from '../time/zone.ts';
import { LONGEST_AWS_EXPRESSION } from './aws-grammar.ts';
import type { AwsSchedule } from './aws-schedule.ts';
import { type DayFields, dayFields, daySetOf, everyDay } from './day-cover.ts';
import { type Block, intervalBlock } from './interval-blocks.ts';
import { isWithin } from './minimal-cover.ts';
import { parseAwsExpression } from './parse-aws-expression.ts';
import { hoursText, minutesText, shifted, type TimeSet, timeFields, timeSetOf } from './time-cover.ts';

// The service fires from now on, so offsets that a zone gave up before this year do not matter to it. After 2038 every
// zone repeats the rules it has by then.
const OFFSETS_FROM = Date.UTC(2020, 0, 1);
const OFFSETS_TO = Date.UTC(2039, 0, 1);

/** Times that an interval meets among others. */
interface Grid {
  readonly block: Block;
  readonly everyMs: number;
}

/**
 * The fewest schedules of EventBridge Scheduler that yield the schedule's instants. What the service will not fire by
 * itself under the chosen policies is told by `supplementsBetween`. `@reboot` yields none.
 *
 * An interval whose times are the same under every offset of its zone is given in UTC, where no hour is left out or
 * ambiguous; all else in the schedule's own zone. `@every` that does not divide the day is one `cron()` that fires more
 * often than the job is due: its `everyMs` says which of the firings count. With an anchor it is a `rate()`.
 */
export function translateSchedule(schedule: Schedule): AwsSchedule[] {
  const { entries, zone } = parsed(schedule);
  const blocks: Block[] = [];
  const grids: Grid[] = [];
  const others: AwsSchedule[] = [];
  for (const entry of entries) {
    if (entry.kind === 'cron' && entry.timetable.rule.years === undefined) {
      blocks.push(blockOf(entry.timetable, zone));
    } else if (entry.kind === 'every' && !entry.isAnchored) {
      const { intervalMs } = entry.timetable;
      const { block, exact } = intervalBlock(intervalMs);
      if (exact) blocks.push(block);
      else grids.push({ block, everyMs: intervalMs });
    } else if (entry.kind === 'every') {
      others.push(rateOf(entry.timetable));
    } else {
      others.push(...singles(entry, zone));
    }
  }
  const exact = merged(blocks);
  const translated = [...exact.flatMap(expressionsOf), ...needed(grids, exact).flatMap(gridExpressions), ...others];
  return translated.filter((one, index) => translated.findIndex((other) => isSame(one, other)) === index);
}

function isSame(one: AwsSchedule, other: AwsSchedule): boolean {
  const isSameRule = one.expression === other.expression && one.timeZone === other.timeZone;
  return isSameRule && one.startAt === other.startAt && one.everyMs === other.everyMs;
}

/** The grids whose instants nothing else fires. */
function needed(grids: readonly Grid[], blocks: readonly Block[]): readonly Grid[] {
  return grids.filter(({ block, everyMs }, index) => {
    const isWithinBlock = blocks.some((other) => other.timeZone === block.timeZone && covers(other, block));
    const isWithinGrid = grids.some(
      (other, at) =>
        everyMs % other.everyMs === 0 && (other.everyMs < everyMs || (other.everyMs === everyMs && at < index)),
    );
    return !isWithinBlock && !isWithinGrid;
  });
}

function gridExpressions({ block, everyMs }: Grid): AwsSchedule[] {
  return expressionsOf(block).map((schedule) => ({ ...schedule, everyMs }));
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
  return covers(one, other) ? one : undefined;
}

function covers(one: Block, other: Block): boolean {
  return isWithin(other.times, one.times) && isWithin(other.days, one.days);
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
