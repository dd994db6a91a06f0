import { NEVER, RuleCursor } from '../cron/rule-cursor.ts';
import { formatWallTime, MS_PER_MINUTE } from '../time/civil-date.ts';
import type { Transition } from '../time/zone.ts';
import type { CronTimetable } from './cron-timetable.ts';
import { parsed } from './parsed-schedule.ts';
import type { Schedule } from './schedule.ts';

/** What becomes of the wall times that a change of the clock leaves out or repeats. */
export type ClockChangeEffect = 'skipped' | 'runAfter' | 'firstPass' | 'secondPass' | 'bothPasses';

/** A change of the zone's clock on which an expression behaves differently. */
export interface ClockChange {
  readonly expression: string;
  readonly kind: 'gap' | 'fold';
  /** The first instant under the new offset, epoch milliseconds. */
  readonly at: number;
  /** How far the clock is moved, in minutes; negative for a fold. */
  readonly shiftMinutes: number;
  /** The expression's wall times that do not exist, or exist twice, e.g. `2027-03-14T02:30`; the first few. */
  readonly wallTimes: readonly string[];
  /** How many such wall times there are. */
  readonly count: number;
  readonly effect: ClockChangeEffect;
}

const MOST_SHOWN = 5;

/** The changes after `from` (exclusive) up to `to` (inclusive) that touch the schedule, in order. */
export function* clockChangesBetween(schedule: Schedule, from: number, to: number): Generator<ClockChange> {
  const { zone, entries } = parsed(schedule);
  const cursors = entries.flatMap((entry) =>
    entry.kind === 'cron'
      ? [{ expression: entry.canonical, timetable: entry.timetable, cursor: new RuleCursor(entry.timetable.rule) }]
      : [],
  );
  for (const transition of zone.transitionsBetween(from, to)) {
    for (const { expression, timetable, cursor } of cursors) {
      const change = changeFor(expression, timetable, cursor, transition);
      if (change !== undefined) {
        yield change;
      }
    }
  }
}

function changeFor(
  expression: string,
  timetable: CronTimetable,
  cursor: RuleCursor,
  { at, offsetBefore, offsetAfter }: Transition,
): ClockChange | undefined {
  const isGap = offsetAfter > offsetBefore;
  const start = at + Math.min(offsetBefore, offsetAfter);
  const end = at + Math.max(offsetBefore, offsetAfter);
  const wallTimes: string[] = [];
  let count = 0;
  for (
    let minute = cursor.next(Math.ceil(start / MS_PER_MINUTE));
    minute !== NEVER && minute * MS_PER_MINUTE < end;
    minute = cursor.next(minute + 1)
  ) {
    count++;
    if (wallTimes.length < MOST_SHOWN) {
      wallTimes.push(formatWallTime(minute * MS_PER_MINUTE));
    }
  }
  if (count === 0 || (isGap && keepsItsPace(timetable, at))) {
    return undefined;
  }
  const effect = isGap ? (timetable.gap === 'skip' ? 'skipped' : 'runAfter') : PASSES[timetable.fold];
  return {
    expression,
    kind: isGap ? 'gap' : 'fold',
    at,
    shiftMinutes: Math.round((offsetAfter - offsetBefore) / MS_PER_MINUTE),
    wallTimes,
    count,
    effect,
  };
}

const PASSES = { first: 'firstPass', second: 'secondPass', both: 'bothPasses' } as const;

/** Whether an interval goes on over the gap as if nothing had happened: no longer without a run than just before. */
function keepsItsPace(timetable: CronTimetable, at: number): boolean {
  if (!timetable.rule.isInterval || timetable.gap !== 'skip') {
    return false;
  }
  const after = timetable.next(at - 1);
  const last = timetable.previous(at);
  const lastButOne = last === undefined ? undefined : timetable.previous(last);
  return after !== undefined && last !== undefined && lastButOne !== undefined && after - last <= last - lastButOne;
}
