export {
  type AlertSubscriptions,
  AlertTopics,
  type AlertTopicsProps,
} from './constructs/alert-topics.ts';
export { EnvironmentDashboard, type EnvironmentDashboardProps } from './constructs/environment-dashboard.ts';
export { FleetAlarms, type FleetAlarmsProps } from './constructs/fleet-alarms.ts';
export { FleetJob, type FleetJobProps } from './constructs/fleet-job.ts';
export { type JobAlarmKind, JobAlarms, type JobAlarmsProps } from './constructs/job-alarms.ts';
export type { IScheduledJob, ScheduledJobAttributes } from './constructs/job-base.ts';
export type { FormerName, WhenDue } from './constructs/job-definition.ts';
export { JobFleet, type JobFleetProps } from './constructs/job-fleet.ts';
export type { JobPlacement } from './constructs/job-function.ts';
export type { CatchUpOptions, JobOptions, RetryOptions } from './constructs/job-options.ts';
export { JobScheduler } from './constructs/job-scheduler.ts';
export type { DeclaredJob, JobOverride, JobSchedulerProps } from './constructs/job-scheduler-props.ts';
export { LifecycleEvents, type LifecycleEventsProps } from './constructs/lifecycle-events.ts';
export { Maintenance, type MaintenanceProps, type MaintenanceWindow } from './constructs/maintenance.ts';
export { RunTable, type RunTableProps } from './constructs/run-table.ts';
export { ScheduledJob, type ScheduledJobProps } from './constructs/scheduled-job.ts';
export { Watchdog, type WatchdogProps } from './constructs/watchdog.ts';
export type { JobMetric } from './domain/contract/metrics.ts';
export type { Severity } from './domain/contract/severity.ts';
export { BelfryError } from './domain/errors.ts';
export type { Backoff, DstPolicy, FoldPolicy, GapPolicy, JobDefinition, OverlapPolicy } from './domain/job.ts';
