/** The schedule language by itself: no AWS SDK, no CDK behind it. `cdk-belfry/schedule`. */
export { BelfryError } from './domain/errors.ts';
export type { DstPolicy, FoldPolicy, GapPolicy } from './domain/job.ts';
export type { ClockChange, ClockChangeEffect } from './domain/schedule/clock-changes.ts';
export { clockChangesBetween } from './domain/schedule/clock-changes.ts';
export { describeSchedule } from './domain/schedule/describe-schedule.ts';
export { parseSchedule } from './domain/schedule/parse-schedule.ts';
export { reviewSchedule } from './domain/schedule/review-schedule.ts';
export type { Schedule, ScheduleOptions } from './domain/schedule/schedule.ts';
export type { ScheduleWarning } from './domain/schedule/warning.ts';
export type { AwsSchedule } from './domain/translation/aws-schedule.ts';
export type { ExplainedChange, ExplainQuestion, Explanation } from './domain/translation/explain-schedule.ts';
export { explainSchedule } from './domain/translation/explain-schedule.ts';
export { parseAwsExpression } from './domain/translation/parse-aws-expression.ts';
export {
  firingsBetween,
  firstStartFrom,
  supplementsBetween,
  surplusBetween,
} from './domain/translation/supplements.ts';
export { translateSchedule } from './domain/translation/translate-schedule.ts';
