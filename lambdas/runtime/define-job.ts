import middy, { type MiddyfiedHandler } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { RuntimeDependencies } from './dependencies.ts';
import { dependenciesForEvents } from './from-environment.ts';
import type { JobHandler } from './job-run.ts';
import { type RunOutcome, runOnce } from './run-once.ts';

export interface JobOptions {
  /** Change it when the steps of the handler change their meaning: what other versions saved is then not used. */
  readonly checkpointVersion?: string;
  /** For own compositions; the default reads the function's environment at the first invocation. */
  readonly dependencies?: () => RuntimeDependencies;
}

interface DefinedJob {
  readonly handler: JobHandler;
  readonly checkpointVersion?: string;
}

const definedJobs = new WeakMap<object, DefinedJob>();

/**
 * The Lambda handler of a job: `export const handler = defineJob(async (run) => { ... })`. More middy middlewares can be
 * added with `.use()`; they wrap the delivery, not each attempt.
 */
export function defineJob(handler: JobHandler, options: JobOptions = {}): MiddyfiedHandler<unknown, RunOutcome> {
  const dependenciesOf = dependenciesFor(options);
  const version = options.checkpointVersion === undefined ? {} : { checkpointVersion: options.checkpointVersion };
  // The attempt has its own deadline, which comes earlier.
  const defined = middy<unknown, RunOutcome>({ timeoutEarlyInMillis: 0 }).handler(
    (event: unknown, context: Context) => {
      return runOnce(dependenciesOf(event), event, handler, context, version);
    },
  );
  definedJobs.set(defined, { handler, ...version });
  return defined;
}

/** Makes the dependencies at the first event, once. */
export function dependenciesFor({ dependencies }: JobOptions): (event: unknown) => RuntimeDependencies {
  if (dependencies === undefined) return dependenciesForEvents();
  let made: RuntimeDependencies | undefined;
  return () => {
    made ??= dependencies();
    return made;
  };
}

/** What `defineJob` was given, for those who carry it out elsewhere. */
export function jobHandlerOf(defined: object): DefinedJob | undefined {
  return definedJobs.get(defined);
}
