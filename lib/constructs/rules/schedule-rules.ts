import type { AwsSchedule } from '../../domain/translation/aws-schedule.ts';
import { surplusFirings } from '../../domain/translation/surplus-firings.ts';
import { dstNotes } from './dst-notes.ts';
import type { JobRule } from './job-rule.ts';

/** More than this, and the job should be several, or be said in another way. */
const MANY_SCHEDULES = 20;

/** Whether it is due at given instants only: when they have passed, the declaration was right all the same. */
function isOneOff(awsSchedules: readonly AwsSchedule[]): boolean {
  return awsSchedules.length > 0 && awsSchedules.every(({ expression }) => expression.startsWith('at('));
}

export const SCHEDULE_RULES: readonly JobRule[] = [
  {
    code: 'NeverDue',
    severity: 'error',
    check: ({ definition, awsSchedules, schedule, options, now }) =>
      options.enabled && schedule.next(now) === undefined && !isOneOff(awsSchedules)
        ? `schedule '${[definition.schedule].flat().join("', '")}' has no occurrence after ${new Date(now).toISOString()}: correct it, or declare the job with enabled: false`
        : undefined,
  },
  {
    code: 'OneOffPassed',
    severity: 'warning',
    check: ({ awsSchedules, schedule, options, now }) =>
      options.enabled && isOneOff(awsSchedules) && schedule.next(now) === undefined
        ? `its only time, ${awsSchedules.map(({ expression, timeZone }) => `${expression} ${timeZone}`).join(', ')}, has passed: it will not run again, so remove it`
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
