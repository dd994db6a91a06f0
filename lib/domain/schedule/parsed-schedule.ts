import type { UnixCron } from '../cron/parse-unix-cron.ts';
import { BelfryError } from '../errors.ts';
import type { FoldPolicy, GapPolicy } from '../job.ts';
import { dayOf, FIRST_YEAR, LAST_YEAR, MS_PER_DAY } from '../time/civil-date.ts';
import type { Zone } from '../time/zone.ts';
import type { CronTimetable } from './cron-timetable.ts';
import type { InstantTimetable } from './instant-timetable.ts';
import type { IntervalTimetable } from './interval-timetable.ts';
import type { Schedule } from './schedule.ts';
import type { Timetable } from './timetable.ts';

/** A cron expression of a schedule, read. `unix` is absent for EventBridge's own form. */
export class CronEntry {
  readonly kind = 'cron';
  readonly source: string;
  readonly timetable: CronTimetable;
  readonly unix: UnixCron | undefined;

  constructor(source: string, timetable: CronTimetable, unix?: UnixCron) {
    this.source = source;
    this.timetable = timetable;
    this.unix = unix;
  }

  get canonical(): string {
    return this.unix === undefined ? this.source : this.unix.canonical;
  }
}

/** One expression of a schedule, read. */
export type ScheduleEntry =
  | CronEntry
  | {
      readonly kind: 'every';
      readonly source: string;
      readonly canonical: string;
      readonly timetable: IntervalTimetable;
      readonly isAnchored: boolean;
    }
  | {
      readonly kind: 'at';
      readonly source: string;
      readonly canonical: string;
      readonly timetable: InstantTimetable;
      readonly wallMs: number;
    }
  | {
      readonly kind: 'reboot';
      readonly source: string;
      readonly canonical: string;
      readonly timetable: InstantTimetable;
    };

// Instants of the years 1970 to 2199 are answered for, in UTC.
const FIRST_INSTANT = dayOf(FIRST_YEAR, 1, 1) * MS_PER_DAY;
const END = dayOf(LAST_YEAR + 1, 1, 1) * MS_PER_DAY;

/** The union of some timetables, as a schedule. */
export class ParsedSchedule implements Schedule {
  readonly timeZone: string;
  readonly zone: Zone;
  readonly gap: GapPolicy;
  /** The fold policy that was asked for; if none was, each expression has its own. */
  readonly fold: FoldPolicy | undefined;
  readonly entries: readonly ScheduleEntry[];
  /** The zone's name as it was given. */
  readonly givenTimeZone: string;
  readonly #only: Timetable | undefined;

  constructor(
    entries: readonly ScheduleEntry[],
    zone: Zone,
    gap: GapPolicy,
    fold: FoldPolicy | undefined,
    givenTimeZone: string = zone.name,
  ) {
    this.givenTimeZone = givenTimeZone;
    this.entries = entries;
    this.zone = zone;
    this.timeZone = zone.name;
    this.gap = gap;
    this.fold = fold;
    this.#only = entries.length === 1 ? entries[0]?.timetable : undefined;
  }

  get expressions(): readonly string[] {
    return this.entries.map(({ canonical }) => canonical);
  }

  next(after: number): number | undefined {
    const from = Math.max(after, FIRST_INSTANT - 1);
    if (!(from < END)) {
      return refuseUnlessNumber(after);
    }
    const instant = this.#only === undefined ? this.#firstOfAll(from) : this.#only.next(from);
    return instant !== undefined && instant < END ? instant : undefined;
  }

  previous(before: number): number | undefined {
    const from = Math.min(before, END);
    if (!(from > FIRST_INSTANT)) {
      return refuseUnlessNumber(before);
    }
    let last: number | undefined;
    for (const { timetable } of this.entries) {
      const instant = (timetable as Timetable).previous(from);
      if (instant !== undefined && instant >= FIRST_INSTANT && (last === undefined || instant > last)) {
        last = instant;
      }
    }
    return last;
  }

  #firstOfAll(after: number): number | undefined {
    let first: number | undefined;
    for (const { timetable } of this.entries) {
      const instant = (timetable as Timetable).next(after);
      if (instant !== undefined && (first === undefined || instant < first)) {
        first = instant;
      }
    }
    return first;
  }

  *between(from: number, to: number): Generator<number, void, undefined> {
    for (let instant = this.next(from); instant !== undefined && instant <= to; instant = this.next(instant)) {
      yield instant;
    }
  }
}

/** A schedule as the parser made it, for those who need more than its instants. */
export function parsed(schedule: Schedule): ParsedSchedule {
  if (schedule instanceof ParsedSchedule) {
    return schedule;
  }
  throw new BelfryError(
    'ForeignSchedule',
    'this schedule was not made by parseSchedule: only its own schedules can be translated and explained',
  );
}

function refuseUnlessNumber(instant: number): undefined {
  if (Number.isNaN(Number(instant)) || typeof instant !== 'number') {
    throw new BelfryError('IllegalInstant', `instant ${String(instant)} is not a number of epoch milliseconds`);
  }
  return undefined;
}
