import type { DstPolicy } from '../job.ts';
import { type ClockChange, clockChangesBetween } from '../schedule/clock-changes.ts';
import { describeSchedule } from '../schedule/describe-schedule.ts';
import { parseSchedule } from '../schedule/parse-schedule.ts';
import { OUTLOOK_MS, reviewSchedule } from '../schedule/review-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { ScheduleWarning } from '../schedule/warning.ts';
import type { AwsSchedule } from './aws-schedule.ts';
import { creatableSchedules } from './creatable-schedules.ts';
import { supplementsBetween, surplusBetween } from './supplements.ts';
import { surplusFirings } from './surplus-firings.ts';
import { translateSchedule } from './translate-schedule.ts';

/** What is asked about a schedule. */
export interface ExplainQuestion {
  readonly expression: string | readonly string[];
  /** IANA name. */
  readonly timeZone: string;
  readonly dst?: DstPolicy;
  /** Occurrences after this instant (exclusive), epoch milliseconds. */
  readonly from: number;
  readonly count: number;
  /** Where `@every` and `rate()` start counting; default: the Unix epoch, as in a deployment. */
  readonly anchor?: number;
}

/** A change of the clock, and what EventBridge Scheduler leaves to others around it. */
export interface ExplainedChange extends ClockChange {
  /** One sentence: what the schedule does. */
  readonly does: string;
  /** Due, not fired by the service: the watchdog starts them. */
  readonly supplements: readonly number[];
  /** Fired by the service, not due: let go by. */
  readonly surplus: readonly number[];
}

export interface Explanation {
  readonly schedule: Schedule;
  readonly canonical: string | readonly string[];
  readonly description: string;
  readonly aws: readonly AwsSchedule[];
  readonly next: readonly number[];
  readonly warnings: readonly ScheduleWarning[];
  /** In the three years after `from`. */
  readonly transitions: readonly ExplainedChange[];
}

// Wider than any shift of a clock.
const AROUND_MS = 26 * 3_600_000;

/**
 * Everything there is to say about a schedule.
 * @throws BelfryError as `parseSchedule` does.
 */
export function explainSchedule(question: ExplainQuestion): Explanation {
  const { expression, timeZone, dst, from, count, anchor } = question;
  const schedule = parseSchedule(expression, {
    timeZone,
    ...(dst === undefined ? {} : { dst }),
    ...(anchor === undefined ? {} : { anchor }),
  });
  const aws = translateSchedule(schedule);
  const [only, ...others] = schedule.expressions;
  return {
    schedule,
    canonical: others.length === 0 && only !== undefined ? only : schedule.expressions,
    description: describeSchedule(schedule),
    aws,
    next: firstOf(schedule, from, count),
    warnings: [...reviewSchedule(schedule, from), ...reviewTranslation(aws, from)],
    transitions: Array.from(clockChangesBetween(schedule, from, from + OUTLOOK_MS), (change) => ({
      ...change,
      does: sentence(change),
      supplements: [...supplementsBetween(schedule, aws, change.at - AROUND_MS, change.at + AROUND_MS)],
      surplus: [...surplusBetween(schedule, aws, change.at - AROUND_MS, change.at + AROUND_MS)],
    })),
  };
}

function firstOf(schedule: Schedule, from: number, count: number): number[] {
  const found: number[] = [];
  for (let instant = from; found.length < count; ) {
    const next = schedule.next(instant);
    if (next === undefined) {
      break;
    }
    found.push(next);
    instant = next;
  }
  return found;
}

function reviewTranslation(aws: readonly AwsSchedule[], from: number): ScheduleWarning[] {
  const warnings: ScheduleWarning[] = [];
  if (aws.length > 1) {
    warnings.push({
      code: 'SeveralSchedules',
      message: `EventBridge Scheduler needs ${aws.length} schedules for this; where two of them fire at one instant there is still one run`,
    });
  }
  const { passed } = creatableSchedules(aws, from);
  if (passed.length > 0) {
    warnings.push({
      code: 'TimePassed',
      message: `${passed.map(({ expression, timeZone }) => `${expression} ${timeZone}`).join(', ')} has passed: it does not fire again, and a deployment makes no schedule for it`,
    });
  }
  const surplus = surplusFirings(aws);
  if (surplus !== undefined) {
    warnings.push({ code: 'SurplusFirings', message: surplus });
  }
  if (aws.some(({ startAt }) => startAt !== undefined)) {
    warnings.push({
      code: 'CountsFromStart',
      message: `rate() counts from its StartDate: the schedule carries one, so that a new deployment does not move the occurrences`,
    });
  }
  return warnings;
}

const DOES: Readonly<Record<ClockChange['effect'], string>> = {
  skipped: 'no run: the time does not exist',
  runAfter: 'runs at the first instant after the gap',
  firstPass: 'runs once, at the first pass',
  secondPass: 'runs once, at the second pass',
  bothPasses: 'runs in both passes',
};

function sentence({ effect, wallTimes, count }: ClockChange): string {
  const times = wallTimes.slice(0, 3).map((time) => time.slice(11));
  return `${times.join(', ')}${count > times.length ? ` and ${count - times.length} more` : ''}: ${DOES[effect]}`;
}
