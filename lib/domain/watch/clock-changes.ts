import { type ParsedSchedule, parsed } from '../schedule/parsed-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { AwsSchedule } from '../translation/aws-schedule.ts';
import { parseAwsExpression } from '../translation/parse-aws-expression.ts';
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

/** Instants of `at()` that came too soon after the synth to get a schedule of their own. */
function timesWithoutSchedule({ entries }: ParsedSchedule, awsSchedules: readonly AwsSchedule[]): readonly number[] {
  const times = entries.flatMap((entry) => (entry.kind === 'at' ? entry.timetable.instants : []));
  if (times.length === 0) return [];
  const oneTime = awsSchedules.filter(({ expression }) => expression.startsWith('at('));
  const fired = new Set(oneTime.map(({ expression, timeZone }) => parseAwsExpression(expression, timeZone).next(-1)));
  return times.filter((time) => !fired.has(time));
}

/** @param filled the same expressions with gap policy `runAfter`, read only when needed */
export function clockChangesOf(
  given: Schedule,
  awsSchedules: readonly AwsSchedule[],
  filled: () => Schedule,
): ClockChanges {
  const schedule = parsed(given);
  const lastLeftOut = Math.max(...timesWithoutSchedule(schedule, awsSchedules));
  const isNearChange = (from: number, to: number) =>
    !schedule.zone.transitionsBetween(from - FARTHEST_MS, to + FARTHEST_MS).next().done;
  let filledIn: Schedule | undefined;
  return {
    supplements: (from, to) =>
      from < lastLeftOut || isNearChange(from, to) ? [...supplementsBetween(schedule, awsSchedules, from, to)] : [],
    surplus: (from, to) => (isNearChange(from, to) ? [...surplusBetween(schedule, awsSchedules, from, to)] : []),
    gaps(from, to) {
      if (schedule.gap !== 'skip' || !isNearChange(from, to)) return [];
      filledIn ??= filled();
      const kept = new Set(schedule.between(from, to));
      return [...filledIn.between(from, to)].filter((instant) => !kept.has(instant));
    },
  };
}
