import { parseSchedule } from '../../domain/schedule/parse-schedule.ts';
import type { JobUnderRules } from './job-rule.ts';

const HORIZON_MS = 400 * 24 * 60 * 60 * 1000;
/** More occurrences than this in the horizon, and the schedule is no matter of fixed wall times. */
const MOST_OCCURRENCES = 3_000;

/**
 * Which of the job's occurrences in the next 400 days hang on the DST policy: those that a policy which leaves nothing out
 * yields and the strictest one does not.
 */
export function dstNotes({ definition, now }: JobUnderRules): string | undefined {
  const { schedule, timeZone, dst } = definition;
  const until = now + HORIZON_MS;
  const strict = take(parseSchedule(schedule, { timeZone, dst: { gap: 'skip', fold: 'first' } }).between(now, until));
  if (strict === undefined) return undefined;
  const known = new Set(strict);
  const inGap = difference(
    known,
    take(parseSchedule(schedule, { timeZone, dst: { gap: 'runAfter', fold: 'first' } }).between(now, until)),
  );
  const inFold = difference(
    known,
    take(parseSchedule(schedule, { timeZone, dst: { gap: 'skip', fold: 'both' } }).between(now, until)),
  );
  const notes: string[] = [];
  if (inGap.length > 0) {
    notes.push(`its wall time does not exist on ${days(inGap, timeZone)} (gap: '${dst.gap ?? 'skip'}')`);
  }
  if (inFold.length > 0) {
    const due = parseSchedule(schedule, { timeZone, dst });
    const fold = dst.fold ?? (inFold.some((at) => due.next(at - 1) === at) ? 'both' : 'first');
    notes.push(`its wall time happens twice on ${days(inFold, timeZone)} (fold: '${fold}')`);
  }
  return notes.length === 0 ? undefined : `in ${timeZone} ${notes.join('; ')}`;
}

function take(occurrences: Iterable<number>): number[] | undefined {
  const taken: number[] = [];
  for (const occurrence of occurrences) {
    taken.push(occurrence);
    if (taken.length > MOST_OCCURRENCES) return undefined;
  }
  return taken;
}

function difference(known: ReadonlySet<number>, all: readonly number[] | undefined): number[] {
  return (all ?? []).filter((occurrence) => !known.has(occurrence));
}

function days(occurrences: readonly number[], timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  return [...new Set(occurrences.map((occurrence) => format.format(occurrence)))].join(', ');
}
