export {
  type AlertSubscriptions,
  AlertTopics,
  type AlertTopicsProps,
  type Severity,
} from './constructs/alert-topics.ts';
export { JobAlarms, type JobAlarmsProps } from './constructs/job-alarms.ts';
export type { WhenDue } from './constructs/job-definition.ts';
export type { CatchUpOptions, JobOptions, RetryOptions } from './constructs/job-options.ts';
export { type JobOverride, JobScheduler, type JobSchedulerProps } from './constructs/job-scheduler.ts';
export { RunTable, type RunTableProps } from './constructs/run-table.ts';
export { ScheduledJob, type ScheduledJobProps } from './constructs/scheduled-job.ts';
export { Watchdog, type WatchdogProps } from './constructs/watchdog.ts';
export { BelfryError } from './domain/errors.ts';
export type { Backoff, DstPolicy, FoldPolicy, GapPolicy, JobDefinition, OverlapPolicy } from './domain/job.ts';
