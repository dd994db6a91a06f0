import { parsed } from '../schedule/parsed-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { AwsSchedule } from '../translation/aws-schedule.ts';
import { supplementsBetween, surplusBetween } from '../translation/supplements.ts';

/**
 * Where a schedule and what EventBridge Scheduler makes of it part. All are instants after `from` (exclusive) up to `to`
 * (inclusive), in order; away from clock changes there are none, and finding that out costs next to nothing.
 */
export interface ClockChanges {
  /** The job is due and EventBridge does not fire. */
  supplements(from: number, to: number): readonly number[];
  /** EventBridge fires and the job is not due. */
  surplus(from: number, to: number): readonly number[];
  /** Where a wall time that the clock jumped over would have been, had the job not chosen to leave it out. */
  gaps(from: number, to: number): readonly number[];
}

export const NO_CLOCK_CHANGES: ClockChanges = { supplements: () => [], surplus: () => [], gaps: () => [] };

/** No zone has changed its offset by more than a day. */
const FARTHEST_MS = 25 * 3_600_000;

/** @param filled the same expressions with gap policy `runAfter`, read only when needed */
export function clockChangesOf(
  given: Schedule,
  awsSchedules: readonly AwsSchedule[],
  filled: () => Schedule,
): ClockChanges {
  const schedule = parsed(given);
  const isNearChange = (from: number, to: number) =>
    !schedule.zone.transitionsBetween(from - FARTHEST_MS, to + FARTHEST_MS).next().done;
  let filledIn: Schedule | undefined;
  return {
    supplements: (from, to) =>
      isNearChange(from, to) ? [...supplementsBetween(schedule, awsSchedules, from, to)] : [],
    surplus: (from, to) => (isNearChange(from, to) ? [...surplusBetween(schedule, awsSchedules, from, to)] : []),
    gaps(from, to) {
      if (schedule.gap !== 'skip' || !isNearChange(from, to)) return [];
      filledIn ??= filled();
      const kept = new Set(schedule.between(from, to));
      return [...filledIn.between(from, to)].filter((instant) => !kept.has(instant));
    },
  };
}
