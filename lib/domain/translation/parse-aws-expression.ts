import { CronTimetable } from '../schedule/cron-timetable.ts';
import { InstantTimetable } from '../schedule/instant-timetable.ts';
import { IntervalTimetable } from '../schedule/interval-timetable.ts';
import { CronEntry, ParsedSchedule, type ScheduleEntry } from '../schedule/parsed-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { instantsOfWall } from '../time/wall-time.ts';
import { type Zone, zoneNamed } from '../time/zone.ts';
import { parseAwsText } from './aws-grammar.ts';

/** When a schedule of EventBridge Scheduler begins, epoch milliseconds; `rate()` yields it first. */
export interface AwsExpressionOptions {
  readonly startAt?: number;
}

/**
 * Reads one of EventBridge Scheduler's expressions as the service does: a wall time in a gap is skipped, one in a fold
 * is fired at its first pass only, whatever the hour field. Without `startAt` a `rate()` counts from the epoch.
 * @throws BelfryError `IllegalAwsExpression`, `NeverFires`, `UnknownTimeZone`.
 */
export function parseAwsExpression(
  expression: string,
  timeZone: string,
  { startAt }: AwsExpressionOptions = {},
): Schedule {
  const zone = zoneNamed(timeZone);
  const schedule = new ParsedSchedule([entryOf(expression, zone, startAt)], zone, 'skip', 'first');
  return startAt === undefined || /^(?:at|rate)\(/.test(expression) ? schedule : startingAt(schedule, startAt);
}

function entryOf(source: string, zone: Zone, startAt: number | undefined): ScheduleEntry {
  const expression = parseAwsText(source);
  const { canonical } = expression;
  if (expression.kind === 'cron') {
    return new CronEntry(source, new CronTimetable(expression.rule, zone, 'skip', 'first'));
  }
  if (expression.kind === 'rate') {
    const timetable = new IntervalTimetable(startAt ?? 0, expression.intervalMs);
    return { kind: 'every', source, canonical, timetable, isAnchored: startAt !== undefined };
  }
  const instants = instantsOfWall(zone, expression.wallMs, 'skip', 'first');
  return { kind: 'at', source, canonical, timetable: new InstantTimetable(instants), wallMs: expression.wallMs };
}

function startingAt(schedule: Schedule, startAt: number): Schedule {
  const next = (after: number) => schedule.next(Math.max(after, startAt - 1));
  return {
    expressions: schedule.expressions,
    timeZone: schedule.timeZone,
    next,
    previous(before) {
      const instant = schedule.previous(before);
      return instant === undefined || instant < startAt ? undefined : instant;
    },
    between: (from, to) => schedule.between(Math.max(from, startAt - 1), to),
  };
}
