import { MS_PER_MINUTE } from '../time/civil-date.ts';
import type { AwsSchedule } from './aws-schedule.ts';
import { parseAwsExpression } from './parse-aws-expression.ts';

/** A deployment creates its schedules some minutes after the synth. */
export const TIME_TO_DEPLOY_MS = 15 * MS_PER_MINUTE;

/** The schedules of a job, by whether a deployment of what is synthesised now can create them. */
export interface CreatableSchedules {
  readonly creatable: readonly AwsSchedule[];
  /** They will not fire again. */
  readonly passed: readonly AwsSchedule[];
  /** One-time schedules whose time may have passed when the deployment comes to them. */
  readonly tooNear: readonly AwsSchedule[];
}

/** EventBridge Scheduler refuses to create a one-time schedule whose time has passed, and the deployment rolls back. */
export function creatableSchedules(awsSchedules: readonly AwsSchedule[], now: number): CreatableSchedules {
  const passed = new Set<AwsSchedule>();
  const tooNear = new Set<AwsSchedule>();
  for (const one of awsSchedules) {
    const { expression, timeZone, startAt } = one;
    const next = parseAwsExpression(expression, timeZone, startAt === undefined ? {} : { startAt }).next(now);
    if (next === undefined) passed.add(one);
    else if (expression.startsWith('at(') && next < now + TIME_TO_DEPLOY_MS) tooNear.add(one);
  }
  return {
    creatable: awsSchedules.filter((one) => !passed.has(one) && !tooNear.has(one)),
    passed: [...passed],
    tooNear: [...tooNear],
  };
}
