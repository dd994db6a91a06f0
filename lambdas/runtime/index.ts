export { BelfryError } from '../../lib/domain/errors.ts';
export type { JobDefinition, OverlapPolicy, RetryPolicy, Trigger } from '../../lib/domain/job.ts';
export type { Refusal } from './acquire.ts';
export { defineJob, type JobOptions } from './define-job.ts';
export type { InvocationContext, RuntimeDependencies } from './dependencies.ts';
export { dependenciesFromEnvironment } from './from-environment.ts';
export type { Continuation, JobHandler, JobRun, Json, RunLog, RunMetrics, RunWindow } from './job-run.ts';
export { type RunOutcome, runOnce } from './run-once.ts';
