import type { Timetable } from './timetable.ts';

/** Elapsed time, whatever the clocks do: `first`, and every interval after it. */
export class IntervalTimetable implements Timetable {
  readonly first: number;
  readonly intervalMs: number;

  constructor(first: number, intervalMs: number) {
    this.first = first;
    this.intervalMs = intervalMs;
  }

  next(after: number): number {
    const count = after < this.first ? 0 : Math.floor((after - this.first) / this.intervalMs) + 1;
    return this.first + count * this.intervalMs;
  }

  previous(before: number): number | undefined {
    const count = Math.ceil((before - this.first) / this.intervalMs) - 1;
    return count < 0 ? undefined : this.first + count * this.intervalMs;
  }
}
