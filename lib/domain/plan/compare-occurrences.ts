import { parseSchedule } from '../schedule/parse-schedule.ts';
import { parsed } from '../schedule/parsed-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { MS_PER_DAY } from '../time/civil-date.ts';
import type { PlannedJob } from './deployment.ts';

const FARTHEST_MS = 32 * MS_PER_DAY;

/** What becomes of the occurrences of one job. Instants, epoch milliseconds, in order. */
export interface OccurrenceChanges {
  /** How many stay as they are. */
  readonly kept: number;
  readonly appear: readonly number[];
  readonly vanish: readonly number[];
  readonly moved: readonly Move[];
  /** Of those that vanish: the new time is over, so the occurrence is not carried out at all. */
  readonly lapsed: readonly Move[];
  /** Of those that appear: the old time is over, so the occurrence is carried out twice. */
  readonly repeated: readonly Move[];
}

export interface Move {
  readonly from: number;
  readonly to: number;
}

export interface Span {
  /** Epoch milliseconds: after `from` (exclusive) up to `to` (inclusive). */
  readonly from: number;
  readonly to: number;
}

/** When the job is due; undefined when it is never due because it is disabled or not there. */
export function scheduleOf(job: PlannedJob | undefined): Schedule | undefined {
  if (job === undefined || !job.isEnabled) return undefined;
  const { schedule, timeZone, dst } = job.definition;
  return parseSchedule(schedule, { timeZone, dst });
}

/**
 * Compares two schedules over a span. An occurrence that is gone is paired with a new one on the same day of the calendar,
 * each in its own zone; failing that, with the nearest new one between its former neighbours. What has no partner in the
 * span vanishes or appears. An occurrence near the end may move beyond the span.
 */
export function compareOccurrences(
  before: Schedule | undefined,
  after: Schedule | undefined,
  span: Span,
): OccurrenceChanges {
  const { from, to } = span;
  if (before === undefined || after === undefined) {
    const [vanish, appear] = [before, after].map((schedule) => [...(schedule?.between(from, to) ?? [])]);
    return { kept: 0, appear: appear ?? [], vanish: vanish ?? [], moved: [], lapsed: [], repeated: [] };
  }
  const range = rangeOfMoves(before, after, span);
  const was = [...before.between(range.from, range.to)];
  const is = [...after.between(range.from, range.to)];
  const { onlyFirst: gone, onlySecond: fresh } = difference(was, is);
  const isOver = (instant: number) => instant <= from;
  const isWithin = (instant: number) => !isOver(instant) && instant <= to;
  const moves = pair(before, gone, after, fresh);
  const moved = moves.filter((move) => !isOver(move.from) && !isOver(move.to));
  const [left, reached] = [new Set(moved.map((move) => move.from)), new Set(moved.map((move) => move.to))];
  return {
    kept: was.filter(isWithin).length - gone.filter(isWithin).length,
    appear: fresh.filter((instant) => isWithin(instant) && !reached.has(instant)),
    vanish: gone.filter((instant) => isWithin(instant) && !left.has(instant)),
    moved: moved.filter((move) => isWithin(move.from) || isWithin(move.to)),
    lapsed: moves.filter((move) => isWithin(move.from) && isOver(move.to)),
    repeated: moves.filter((move) => isWithin(move.to) && isOver(move.from)),
  };
}

/** A move may begin or end outside of the span: a day from it, or at the next occurrence there. */
function rangeOfMoves(before: Schedule, after: Schedule, { from, to }: Span): Span {
  const both = [before, after];
  const later = both.map((schedule) => schedule.next(to) ?? to).filter((at) => at < to + FARTHEST_MS);
  const earlier = both.map((schedule) => schedule.previous(from) ?? from).filter((at) => at > from - FARTHEST_MS);
  return { from: Math.min(from - MS_PER_DAY, ...earlier.map((at) => at - 1)), to: Math.max(to + MS_PER_DAY, ...later) };
}

interface Pairing {
  readonly moved: readonly Move[];
  /** What is left over on either side. */
  readonly vanish: readonly number[];
  readonly appear: readonly number[];
}

function pair(before: Schedule, gone: readonly number[], after: Schedule, fresh: readonly number[]): readonly Move[] {
  const moved: Move[] = [];
  const rest = { gone: [] as number[], fresh: [] as number[] };
  const newByDay = byDay(after, fresh);
  const oldByDay = byDay(before, gone);
  for (const [day, instants] of oldByDay) {
    const sameDay = newByDay.get(day) ?? [];
    newByDay.delete(day);
    const { moved: here, vanish, appear } = pairInOrder(instants, sameDay);
    moved.push(...here);
    rest.gone.push(...vanish);
    rest.fresh.push(...appear);
  }
  for (const instants of newByDay.values()) rest.fresh.push(...instants);
  const others = pairNearest(ascending(rest.gone), ascending(rest.fresh));
  const isNear = ({ from, to }: Move) =>
    to > (before.previous(from) ?? Number.NEGATIVE_INFINITY) && to < (before.next(from) ?? Number.POSITIVE_INFINITY);
  return [...moved, ...others.filter(isNear)].sort((one, other) => one.from - other.from || one.to - other.to);
}

/** Those that are each other's nearest. */
function pairNearest(gone: readonly number[], fresh: readonly number[]): readonly Move[] {
  return gone.flatMap((from) => {
    const to = nearest(fresh, from);
    return to !== undefined && nearest(gone, to) === from ? [{ from, to }] : [];
  });
}

/** In a list that ascends; of two at one distance, the later one. */
function nearest(instants: readonly number[], to: number): number | undefined {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((instants[middle] as number) < to) low = middle + 1;
    else high = middle;
  }
  const [earlier, later] = [instants[low - 1], instants[low]];
  if (earlier === undefined || later === undefined) return earlier ?? later;
  return to - earlier < later - to ? earlier : later;
}

/** Pairs as many as there are on the shorter side, the nearest ones, and never crosswise. */
function pairInOrder(gone: readonly number[], fresh: readonly number[]): Pairing {
  const moved: Move[] = [];
  const vanish: number[] = [];
  const appear: number[] = [];
  let old = 0;
  let young = 0;
  while (old < gone.length && young < fresh.length) {
    const spare = gone.length - old - (fresh.length - young);
    const from = gone[old] as number;
    const to = fresh[young] as number;
    if (spare > 0 && Math.abs((gone[old + 1] as number) - to) < Math.abs(from - to)) {
      vanish.push(from);
      old += 1;
    } else if (spare < 0 && Math.abs((fresh[young + 1] as number) - from) < Math.abs(from - to)) {
      appear.push(to);
      young += 1;
    } else {
      moved.push({ from, to });
      old += 1;
      young += 1;
    }
  }
  return { moved, vanish: [...vanish, ...gone.slice(old)], appear: [...appear, ...fresh.slice(young)] };
}

function byDay(schedule: Schedule, instants: readonly number[]): Map<number, number[]> {
  const { zone } = parsed(schedule);
  const days = new Map<number, number[]>();
  for (const instant of instants) {
    const day = Math.floor((instant + zone.offsetAt(instant)) / MS_PER_DAY);
    const same = days.get(day);
    if (same === undefined) days.set(day, [instant]);
    else same.push(instant);
  }
  return days;
}

/** Both lists ascend. */
function difference(first: readonly number[], second: readonly number[]) {
  const [ofFirst, ofSecond] = [new Set(first), new Set(second)];
  return {
    onlyFirst: first.filter((instant) => !ofSecond.has(instant)),
    onlySecond: second.filter((instant) => !ofFirst.has(instant)),
  };
}

function ascending(instants: readonly number[]): number[] {
  return instants.toSorted((one, other) => one - other);
}
