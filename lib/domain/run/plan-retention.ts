import { RETENTION_MS } from '../contract/retention.ts';
import type { Schedule } from '../schedule/schedule.ts';

const DAY_MS = 86_400_000;

/** The same occurrences are looked at whenever it is asked, so that the same schedule gives the same answer. */
const LOOKED_AT_FROM = Date.UTC(2024, 0, 1);
const LOOKED_AT = 12;
const SPARE_MS = 7 * DAY_MS;

/**
 * How long the records of a job must be kept that is due so rarely that `RETENTION_MS` is not enough: over two intervals,
 * because the next run reads from the last one's record where its window begins, and one in between may be skipped.
 * Undefined for all other jobs.
 */
export function planRetention(schedule: Schedule): number | undefined {
  let longest = 0;
  let last = schedule.next(LOOKED_AT_FROM);
  for (let seen = 1; last !== undefined && seen < LOOKED_AT; seen++) {
    const next = schedule.next(last);
    if (next === undefined) break;
    longest = Math.max(longest, next - last);
    last = next;
  }
  const needed = Math.ceil((2 * longest + SPARE_MS) / DAY_MS) * DAY_MS;
  return needed > RETENTION_MS ? needed : undefined;
}
