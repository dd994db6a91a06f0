import type { Schedule } from '../../domain/schedule/schedule.ts';

const LOOKED_AT = 200;

/** Least milliseconds between two of the next occurrences; infinite when there are not two. */
export function shortestInterval(schedule: Schedule, now: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  let before = schedule.next(now);
  for (let seen = 0; seen < LOOKED_AT && before !== undefined; seen++) {
    const next = schedule.next(before);
    if (next !== undefined) shortest = Math.min(shortest, next - before);
    before = next;
  }
  return shortest;
}
