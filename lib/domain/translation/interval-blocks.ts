import { parseUnixCron } from '../cron/parse-unix-cron.ts';
import { MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE } from '../time/civil-date.ts';
import { type DaySet, daySetOf, everyDay } from './day-cover.ts';
import { addMinute, emptyTimeSet, type TimeSet } from './time-cover.ts';

/** Times of day on days of the year, on the clock of one zone. */
export interface Block {
  readonly timeZone: string;
  readonly times: TimeSet;
  readonly days: DaySet;
}

const WEEK_MS = 7 * MS_PER_DAY;
/** The Unix epoch was one. */
const THURSDAYS = '0 0 * * 4';

/**
 * The times in UTC on which an interval that counts from the Unix epoch falls. `exact`: on all of them, day after day.
 * Otherwise it falls on some of them only: no cron expression counts across midnight, so the block has the widest even
 * spacing that meets every occurrence and that one expression can say. Those that are not the interval's are refused
 * when they come.
 */
export function intervalBlock(intervalMs: number): { readonly block: Block; readonly exact: boolean } {
  if (intervalMs % WEEK_MS === 0) {
    const days = daySetOf(parseUnixCron(THURSDAYS).rule);
    return { block: { timeZone: 'UTC', times: timesEvery(MINUTES_PER_DAY), days }, exact: intervalMs === WEEK_MS };
  }
  const minutes = intervalMs / MS_PER_MINUTE;
  const exact = MINUTES_PER_DAY % minutes === 0;
  const step = exact ? minutes : widestStep(minutes);
  return { block: { timeZone: 'UTC', times: timesEvery(step), days: everyDay() }, exact };
}

/** The most minutes that divide the interval and the day, and divide the hour or are whole hours. */
function widestStep(minutes: number): number {
  let step = MINUTES_PER_DAY;
  while (minutes % step !== 0 || MINUTES_PER_DAY % step !== 0 || (60 % step !== 0 && step % 60 !== 0)) step--;
  return step;
}

function timesEvery(step: number): TimeSet {
  const times = emptyTimeSet();
  for (let minute = 0; minute < MINUTES_PER_DAY; minute += step) addMinute(times, minute);
  return times;
}
