import type { AwsSchedule } from '../../domain/translation/aws-schedule.ts';
import { TIME_TO_DEPLOY_MS } from '../../domain/translation/creatable-schedules.ts';
import { surplusFirings } from '../../domain/translation/surplus-firings.ts';
import { dstNotes } from './dst-notes.ts';
import type { JobRule } from './job-rule.ts';

/** More than this, and the job should be several, or be said in another way. */
const MANY_SCHEDULES = 20;

function texts(awsSchedules: readonly AwsSchedule[]): string {
  return awsSchedules.map(({ expression, timeZone }) => `${expression} ${timeZone}`).join(', ');
}

export const SCHEDULE_RULES: readonly JobRule[] = [
  {
    code: 'NeverDue',
    severity: 'error',
    check: ({ definition, schedule, options, now }) =>
      options.enabled && schedule.next(now) === undefined && schedule.previous(now) === undefined
        ? `schedule '${[definition.schedule].flat().join("', '")}' has no occurrence at all: correct it, or declare the job with enabled: false`
        : undefined,
  },
  {
    code: 'TimePassed',
    severity: 'warning',
    // Time passes without anybody's doing: an error would keep the app of yesterday from being deployed, rolled back to or destroyed.
    check: ({ leftOut: { passed }, schedule, options, now }) => {
      if (!options.enabled || passed.length === 0) return undefined;
      const what = `${texts(passed)} has passed, so no schedule is made for it`;
      return schedule.next(now) === undefined
        ? `${what}, and the job will not run again by itself: give it another time, or remove it; 'belfry trigger' still starts it`
        : `${what}: take it out of the list`;
    },
  },
  {
    code: 'TimeTooNear',
    severity: 'warning',
    check: ({ leftOut: { tooNear }, options }) =>
      options.enabled && tooNear.length > 0
        ? `${texts(tooNear)} is less than ${TIME_TO_DEPLOY_MS / 60_000} minutes away, and AWS refuses to create a schedule whose time has passed: no schedule is made for it, the watchdog starts it; what is deployed later than that does not run at that time`
        : undefined,
  },
  {
    code: 'ManySchedules',
    severity: 'warning',
    check: ({ awsSchedules }) =>
      awsSchedules.length > MANY_SCHEDULES
        ? `EventBridge needs ${awsSchedules.length} schedules to say when it is due, each of them a resource: choose times that fit a pattern, or make several jobs of it`
        : undefined,
  },
  {
    code: 'UnevenInterval',
    severity: 'note',
    check: ({ awsSchedules }) => {
      const surplus = surplusFirings(awsSchedules);
      return surplus === undefined ? undefined : `${surplus}; prefer an interval like 5, 10 or 15 minutes`;
    },
  },
  { code: 'ClockChange', severity: 'note', check: dstNotes },
];
