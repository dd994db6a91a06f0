import { parseSchedule } from '../schedule/parse-schedule.ts';
import { parsed } from '../schedule/parsed-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { MS_PER_DAY } from '../time/civil-date.ts';
import type { PlannedJob } from './deployment.ts';

const FARTHEST_MS = 32 * MS_PER_DAY;
const DENSE_A_DAY = 8;

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
 * each in its own zone; failing that, or where they are due eight times a day or more, with the nearest new one between
 * its former neighbours. What has no partner in the span vanishes or appears. An occurrence near the end may move beyond
 * the span.
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
  const sameDay = isDense(gone) ? { moved: [], vanish: gone, appear: fresh } : pairByDay(before, gone, after, fresh);
  const nearest = pairNearest(sameDay.vanish, sameDay.appear).filter(
    ({ from, to }) =>
      to > (before.previous(from) ?? Number.NEGATIVE_INFINITY) && to < (before.next(from) ?? Number.POSITIVE_INFINITY),
  );
  return [...sameDay.moved, ...nearest].sort((one, other) => one.from - other.from || one.to - other.to);
}

/** Due so often that the nearest occurrence says more than one on the same day. */
function isDense(instants: readonly number[]): boolean {
  const days = ((instants.at(-1) ?? 0) - (instants[0] ?? 0)) / MS_PER_DAY + 1;
  return instants.length / days >= DENSE_A_DAY;
}

function pairByDay(before: Schedule, gone: readonly number[], after: Schedule, fresh: readonly number[]): Pairing {
  const newByDay = byDay(after, fresh);
  const days = [...byDay(before, gone)].map(([day, instants]) => {
    const sameDay = newByDay.get(day) ?? [];
    newByDay.delete(day);
    return pairInOrder(instants, sameDay);
  });
  return {
    moved: days.flatMap(({ moved }) => moved),
    vanish: ascending(days.flatMap(({ vanish }) => vanish)),
    appear: ascending([...days.flatMap(({ appear }) => appear), ...[...newByDay.values()].flat()]),
  };
}

/** Those that are each other's nearest. */
function pairNearest(gone: readonly number[], fresh: readonly number[]): readonly Move[] {
  return gone.flatMap((from) => {
    const to = nearest(fresh, from, 'later');
    return to !== undefined && nearest(gone, to, 'earlier') === from ? [{ from, to }] : [];
  });
}

/** In a list that ascends. @param preferred which of two at one distance */
function nearest(instants: readonly number[], to: number, preferred: 'earlier' | 'later'): number | undefined {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((instants[middle] as number) < to) low = middle + 1;
    else high = middle;
  }
  const [earlier, later] = [instants[low - 1], instants[low]];
  if (earlier === undefined || later === undefined) return earlier ?? later;
  const [since, until] = [to - earlier, later - to];
  return since < until || (since === until && preferred === 'earlier') ? earlier : later;
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
