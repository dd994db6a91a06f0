import { dayOf, LAST_YEAR, MS_PER_DAY } from '../time/civil-date.ts';
import type { Timetable } from './timetable.ts';

const END = dayOf(LAST_YEAR + 1, 1, 1) * MS_PER_DAY;

/** Elapsed time, whatever the clocks do: `first`, and every interval after it. */
export class IntervalTimetable implements Timetable {
  readonly first: number;
  readonly intervalMs: number;

  constructor(first: number, intervalMs: number) {
    this.first = first;
    this.intervalMs = intervalMs;
  }

  next(after: number): number | undefined {
    const count = after < this.first ? 0 : Math.floor((after - this.first) / this.intervalMs) + 1;
    const instant = this.first + count * this.intervalMs;
    return instant < END ? instant : undefined;
  }

  previous(before: number): number | undefined {
    const count = Math.ceil((before - this.first) / this.intervalMs) - 1;
    return count < 0 ? undefined : this.first + count * this.intervalMs;
  }
}
