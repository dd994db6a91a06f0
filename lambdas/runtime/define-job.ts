import middy, { type MiddyfiedHandler } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { RuntimeDependencies } from './dependencies.ts';
import { dependenciesFromEnvironment } from './from-environment.ts';
import type { JobHandler } from './job-run.ts';
import { type RunOutcome, runOnce } from './run-once.ts';

export interface JobOptions {
  /** Change it when the steps of the handler change their meaning: what other versions saved is then not used. */
  readonly checkpointVersion?: string;
  /** For tests and own compositions; the default reads the function's environment at the first invocation. */
  readonly dependencies?: () => RuntimeDependencies;
}

/**
 * The Lambda handler of a job: `export const handler = defineJob(async (run) => { ... })`. More middy middlewares can be
 * added with `.use()`; they wrap the delivery, not each attempt.
 */
export function defineJob(handler: JobHandler, options: JobOptions = {}): MiddyfiedHandler<unknown, RunOutcome> {
  let dependencies: RuntimeDependencies | undefined;
  const { checkpointVersion } = options;
  return middy<unknown, RunOutcome>().handler((event: unknown, context: Context) => {
    dependencies ??= (options.dependencies ?? dependenciesFromEnvironment)();
    return runOnce(dependencies, event, handler, context, checkpointVersion === undefined ? {} : { checkpointVersion });
  });
}
