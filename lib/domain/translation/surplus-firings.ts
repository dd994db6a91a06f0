import { HOURS_A_MONTH } from '../cost/monthly-usage.ts';
import { usdOf } from '../cost/price-table.ts';
import { MS_PER_DAY } from '../time/civil-date.ts';
import type { AwsSchedule } from './aws-schedule.ts';
import { parseAwsExpression } from './parse-aws-expression.ts';

/** Firings of these schedules repeat by the week. */
const WEEK_MS = 7 * MS_PER_DAY;
const WEEKS_A_MONTH = HOURS_A_MONTH / (7 * 24);

/** How often in a month of 730 hours the schedules fire without being due: each time the function refuses the event. */
export function refusedAMonth(awsSchedules: readonly AwsSchedule[]): number {
  let refused = 0;
  for (const { expression, timeZone, everyMs } of awsSchedules) {
    if (everyMs === undefined) continue;
    const fired = [...parseAwsExpression(expression, timeZone).between(0, WEEK_MS)].length;
    refused += fired - WEEK_MS / everyMs;
  }
  return Math.round(refused * WEEKS_A_MONTH);
}

/** What firing more often than the job is due comes to, as a sentence; undefined where nothing does. */
export function surplusFirings(awsSchedules: readonly AwsSchedule[]): string | undefined {
  const refused = refusedAMonth(awsSchedules);
  if (refused === 0) return undefined;
  const usd = usdOf('schedulerInvocations', refused) + usdOf('lambdaRequests', refused);
  return `the interval does not divide the day, so EventBridge Scheduler fires more often than the job is due: the function refuses ${refused.toLocaleString('en-US')} events a month, without a run and without a line in its log; as invocations they cost ${usd < 0.01 ? 'less than 0.01' : usd.toFixed(2)} USD`;
}
