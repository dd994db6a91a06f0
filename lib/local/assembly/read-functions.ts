import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BelfryError } from '../../domain/errors.ts';
import type { JobDefinition } from '../../domain/job.ts';
import type { Intrinsics } from './intrinsics.ts';
import { REGION } from './local-account.ts';
import type { AsyncInvokeLimits, FunctionResource } from './resources.ts';
import type { Stack, TemplateResource } from './template.ts';

const DEFAULT_ASYNC_INVOKE: AsyncInvokeLimits = { maximumRetryAttempts: 2, maximumEventAgeMs: 21_600_000 };

/** The functions of the template. One that cannot run here is noted and left out. */
export function readFunctions(intrinsics: Intrinsics, notes: string[]): FunctionResource[] {
  const limits = readAsyncInvokeLimits(intrinsics);
  const functions: FunctionResource[] = [];
  for (const { stack, logicalId, resource } of intrinsics.resources('AWS::Lambda::Function')) {
    const property = (name: string) => intrinsics.property(resource, name, stack);
    const runtime = String(property('Runtime') ?? '');
    const name = intrinsics.reference(stack, logicalId);
    const codePath = readCodePath(intrinsics, resource, stack);
    if (!runtime.startsWith('nodejs') || codePath === undefined) {
      notes.push(
        `function ${name}: its code is ${runtime.startsWith('nodejs') ? 'not a folder in the cloud assembly' : `for ${runtime || 'a container'}`}, so it does not run locally`,
      );
      continue;
    }
    const variables = stringValues((property('Environment') as { Variables?: object } | undefined)?.Variables);
    const logging = property('LoggingConfig') as { LogGroup?: string } | undefined;
    const job = readJob(variables.BELFRY_JOB, name);
    const deadLetters = property('DeadLetterConfig') as { TargetArn?: string } | undefined;
    const reservedConcurrency = property('ReservedConcurrentExecutions');
    functions.push({
      name,
      arn: intrinsics.attribute(stack, logicalId, 'Arn'),
      handler: String(property('Handler')),
      runtime,
      region: REGION,
      codePath,
      timeoutMs: Number(property('Timeout') ?? 3) * 1000,
      memoryMb: Number(property('MemorySize') ?? 128),
      variables,
      logGroupName: logging?.LogGroup ?? `/aws/lambda/${name}`,
      asyncInvoke: limits.get(name) ?? DEFAULT_ASYNC_INVOKE,
      ...(deadLetters?.TargetArn === undefined ? {} : { deadLetterArn: deadLetters.TargetArn }),
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrency: Number(reservedConcurrency) }),
      ...(job === undefined ? {} : { job }),
      jobs: job === undefined ? readFleet(variables, codePath) : [job],
    });
  }
  return functions;
}

function readCodePath(intrinsics: Intrinsics, resource: TemplateResource, stack: Stack): string | undefined {
  const code = intrinsics.property(resource, 'Code', stack) as { S3Key?: string } | undefined;
  const hash = code?.S3Key?.split('/')
    .at(-1)
    ?.replace(/\.zip$/, '');
  const path = hash === undefined ? undefined : stack.assets.get(hash);
  return path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : undefined;
}

function readAsyncInvokeLimits(intrinsics: Intrinsics): Map<string, AsyncInvokeLimits> {
  const limits = new Map<string, AsyncInvokeLimits>();
  for (const { stack, resource } of intrinsics.resources('AWS::Lambda::EventInvokeConfig')) {
    const property = (name: string) => intrinsics.property(resource, name, stack);
    const destination = (property('DestinationConfig') as { OnFailure?: { Destination?: string } } | undefined)
      ?.OnFailure?.Destination;
    const maximumEventAgeS = property('MaximumEventAgeInSeconds');
    limits.set(String(property('FunctionName')), {
      maximumRetryAttempts: Number(property('MaximumRetryAttempts') ?? DEFAULT_ASYNC_INVOKE.maximumRetryAttempts),
      maximumEventAgeMs:
        maximumEventAgeS === undefined ? DEFAULT_ASYNC_INVOKE.maximumEventAgeMs : Number(maximumEventAgeS) * 1000,
      ...(destination === undefined ? {} : { onFailureArn: destination }),
    });
  }
  return limits;
}

/** A function that many jobs share has their definitions in a file beside its code. */
function readFleet(variables: Record<string, string>, codePath: string): readonly JobDefinition[] {
  if (variables.BELFRY_FLEET === undefined) return [];
  const { jobs } = JSON.parse(readFileSync(join(codePath, 'jobs.json'), 'utf8')) as { jobs: JobDefinition[] };
  return jobs;
}

function readJob(text: string | undefined, functionName: string): JobDefinition | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as JobDefinition;
  } catch {
    throw new BelfryError(
      'MalformedTemplate',
      `BELFRY_JOB of function '${functionName}' is no JSON: it must hold the job's definition`,
    );
  }
}

function stringValues(variables: object = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}
