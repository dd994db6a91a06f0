import { compactList, type ListStyle } from '../cron/compact-list.ts';
import { type FieldSet, union, valuesOf } from '../cron/field-set.ts';
import { minimalCover, type Piece, withoutRepeats } from './minimal-cover.ts';

/** Minutes of the day as a set: two cells an hour, 30 minutes each. */
export type TimeSet = Int32Array;

const HOURS_PER_DAY = 24;
const MINUTE_STYLE: ListStyle = { first: 0, last: 59, steps: true, stepFromStar: false };
const HOUR_STYLE: ListStyle = { first: 0, last: 23, steps: true, stepFromStar: false };

/** A set of minutes in a set of hours: what one expression can say about the time of day. */
interface TimeBlock extends Piece {
  readonly minutes: FieldSet;
  readonly hours: readonly number[];
}

export function timeSetOf(minutes: FieldSet, hours: FieldSet): TimeSet {
  return blockCells(minutes, valuesOf(hours));
}

export function emptyTimeSet(): TimeSet {
  return new Int32Array(2 * HOURS_PER_DAY);
}

/** The set with every minute moved by `minutes`, round the day. */
export function shifted(times: TimeSet, minutes: number): TimeSet {
  const moved = emptyTimeSet();
  for (let minute = 0; minute < 1440; minute++) {
    if (hasMinute(times, minute)) {
      addMinute(moved, (((minute + minutes) % 1440) + 1440) % 1440);
    }
  }
  return moved;
}

export function addMinute(times: TimeSet, minuteOfDay: number): void {
  const cell = Math.floor(minuteOfDay / 30);
  times[cell] = (times[cell] as number) | (1 << (minuteOfDay % 30));
}

export function hasMinute(times: TimeSet, minuteOfDay: number): boolean {
  return (((times[Math.floor(minuteOfDay / 30)] as number) >> (minuteOfDay % 30)) & 1) === 1;
}

/** The fewest pairs of minutes and hours fields that together say the set. */
export function timeFields(times: TimeSet): { minutes: readonly number[]; hours: readonly number[] }[] {
  const rows = Array.from({ length: HOURS_PER_DAY }, (_, hour) => rowOf(times, hour));
  const blocks = rowIntersections(rows).map((minutes): TimeBlock => {
    const hours = rows.flatMap((row, hour) => (isSubset(minutes, row) ? [hour] : []));
    return { minutes, hours, cells: blockCells(minutes, hours) };
  });
  return withoutRepeats(minimalCover(times, blocks), aroundOwn).map(({ minutes, hours }) => ({
    minutes: valuesOf(minutes),
    hours,
  }));
}

/** The smallest block that holds the cells. */
function aroundOwn(_: TimeBlock, own: TimeSet): TimeBlock {
  const hours = Array.from({ length: HOURS_PER_DAY }, (_each, hour) => hour).filter(
    (hour) => own[2 * hour] !== 0 || own[2 * hour + 1] !== 0,
  );
  const minutes = hours.map((hour) => rowOf(own, hour)).reduce(union);
  return { minutes, hours, cells: blockCells(minutes, hours) };
}

export function minutesText(minutes: readonly number[]): string {
  return compactList(minutes, MINUTE_STYLE);
}

export function hoursText(hours: readonly number[]): string {
  return compactList(hours, HOUR_STYLE);
}

function blockCells(minutes: FieldSet, hours: readonly number[]): TimeSet {
  const cells = emptyTimeSet();
  for (const hour of hours) {
    cells[2 * hour] = minutes.low;
    cells[2 * hour + 1] = minutes.high;
  }
  return cells;
}

function rowOf(times: TimeSet, hour: number): FieldSet {
  return { low: times[2 * hour] as number, high: times[2 * hour + 1] as number };
}

function isSubset(one: FieldSet, other: FieldSet): boolean {
  return (one.low & ~other.low) === 0 && (one.high & ~other.high) === 0;
}

function rowIntersections(rows: readonly FieldSet[]): FieldSet[] {
  const closed = new Map<string, FieldSet>();
  const add = (set: FieldSet) => {
    if ((set.low !== 0 || set.high !== 0) && closed.size < 200) {
      closed.set(`${set.low} ${set.high}`, set);
    }
  };
  rows.forEach(add);
  for (const one of closed.values()) {
    for (const other of rows) {
      add({ low: one.low & other.low, high: one.high & other.high });
    }
  }
  return [...closed.values()];
}
