import { brotliCompressSync, constants } from 'node:zlib';
import { Role } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Lazy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { CONTRACT_VERSION } from '../domain/contract/version.ts';
import { BelfryError } from '../domain/errors.ts';
import type { ManifestPart } from '../domain/job.ts';
import type { JobScheduler } from './job-scheduler.ts';
import type { DeclaredJob } from './job-scheduler-props.ts';
import { schedulerPrincipal } from './scheduler-principal.ts';

/** The API's model names no limit of an input; 256 KB is what is commonly said. A job takes some tens of bytes. */
const LONGEST_INPUT = 200_000;

/** What the watchdog is told of these jobs. */
export function manifestPart(jobs: readonly DeclaredJob[]): ManifestPart {
  const disabled = jobs.filter((job) => !job.options.enabled).map((job) => job.definition);
  return {
    version: CONTRACT_VERSION,
    jobs: jobs.filter((job) => job.options.enabled).map((job) => job.definition),
    ...(disabled.length === 0 ? {} : { disabled }),
    // Of all jobs: one that is disabled may still have a run to finish.
    functions: Object.fromEntries(jobs.map((job) => [job.name, job.functionName])),
    awsSchedules: Object.fromEntries(jobs.map((job) => [job.name, job.awsSchedules])),
  };
}

/**
 * The part of the manifest that says which jobs a stack holds: the input of a schedule that never fires, beside the
 * schedules that do. So it comes and goes with them, in the same deployment of the same stack, and the watchdog reads it
 * with the permission that it has for the others. In the watchdog's own code it would change the watchdog's stack with
 * every job; a parameter of the Parameter Store is too small.
 */
export function createManifestPart(
  scope: Construct,
  scheduler: JobScheduler,
  { name, jobs }: { readonly name: string; readonly jobs: () => readonly DeclaredJob[] },
): CfnSchedule {
  const role = new Role(scope, 'ManifestRole', {
    description: 'No schedule can do anything with it: the manifest never fires',
    assumedBy: schedulerPrincipal(scope, scheduler.scheduleGroupName),
  });
  const schedule = new CfnSchedule(scope, 'Manifest', {
    name,
    groupName: scheduler.scheduleGroupName,
    description: 'Never fires: its input tells the watchdog which jobs this stack holds',
    scheduleExpression: 'at(2099-12-31T00:00:00)',
    scheduleExpressionTimezone: 'UTC',
    state: 'DISABLED',
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: scheduler.deadLetters.queueArn,
      roleArn: role.roleArn,
      input: Lazy.string({ produce: () => inputOf(scope, manifestPart(jobs())) }),
    },
  });
  schedule.addResourceDependency(scheduler.scheduleGroup);
  return schedule;
}

/** Compressed by Brotli, which comes to the same on every processor: the template must not depend on who synthesises it. */
function inputOf(scope: Construct, part: ManifestPart): string {
  const text = JSON.stringify(part);
  const packed = brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text) },
  });
  const input = JSON.stringify({ manifest: packed.toString('base64') });
  if (input.length > LONGEST_INPUT) {
    throw new BelfryError(
      'ManifestTooLarge',
      `the ${part.jobs.length} jobs of ${scope.node.path} need ${input.length} characters in the list for the watchdog, allowed are ${LONGEST_INPUT}: spread the jobs over more stacks`,
    );
  }
  return input;
}
