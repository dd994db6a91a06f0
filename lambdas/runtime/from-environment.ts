import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SchedulerClient, type SchedulerClientConfig } from '@aws-sdk/client-scheduler';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { ScheduledWakeUps } from '../../lib/adapters/eventbridge-scheduler/scheduled-wake-ups.ts';
import { DYNAMODB_SETTINGS, endpointOf } from '../../lib/adapters/sdk-client/client-settings.ts';
import { SystemClock } from '../../lib/adapters/system-clock/system-clock.ts';
import { scheduleGroup } from '../../lib/domain/contract/names.ts';
import { BelfryError } from '../../lib/domain/errors.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { fleetJob } from './fleet.ts';
import { TurnMemory } from './turn-memory.ts';

/**
 * What an invocation for this event needs. A function of one job is told it by `BELFRY_JOB`; one that many jobs share
 * (`BELFRY_FLEET` is set) finds the event's in the file beside its code. Everything but the job is made once.
 */
export function dependenciesForEvents(env: NodeJS.ProcessEnv = process.env): (event: unknown) => RuntimeDependencies {
  let made: RuntimeDependencies | undefined;
  return (event) => {
    if (env.BELFRY_FLEET === undefined) {
      made ??= dependenciesFromEnvironment(env);
      return made;
    }
    const job = fleetJob(event);
    made ??= dependenciesFromEnvironment({ ...env, BELFRY_JOB: JSON.stringify(job) });
    return { ...made, job };
  };
}

/**
 * Reads `BELFRY_TABLE`, `BELFRY_ENVIRONMENT`, `BELFRY_SCHEDULER` (the scheduler's prefix) and `BELFRY_JOB`; with
 * `BELFRY_WAKE_UP_ROLE` (the function's own role, which may invoke it) retries and wake-ups get schedules of their own.
 * @throws BelfryError `NotDeployed`
 */
export function dependenciesFromEnvironment(env: NodeJS.ProcessEnv = process.env): RuntimeDependencies {
  const table = required(env, 'BELFRY_TABLE');
  const environment = required(env, 'BELFRY_ENVIRONMENT');
  const job = JSON.parse(required(env, 'BELFRY_JOB')) as JobDefinition;
  const scheduler = required(env, 'BELFRY_SCHEDULER');
  const { BELFRY_WAKE_UP_ROLE: role } = env;
  return {
    job,
    environment,
    scheduler,
    store: new DynamoDbRunStore(new DynamoDBClient({ ...DYNAMODB_SETTINGS, ...endpointOf('DYNAMODB', env) }), table),
    turns: new TurnMemory(),
    clock: new SystemClock(),
    newClaimToken,
    print: (line) => void process.stdout.write(`${line}\n`),
    ...(role === undefined
      ? {}
      : {
          wakeUps: new ScheduledWakeUps(() => new SchedulerClient(WAKE_UP_SETTINGS), {
            group: scheduleGroup(scheduler),
            role,
          }),
        }),
  };
}

/** A wake-up is a hint, often armed in an invocation's last seconds: where it cannot be armed, that must be known soon. */
const WAKE_UP_SETTINGS: SchedulerClientConfig = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
};

/** Where processes start from one snapshot, what they share must not become their tokens. */
const disableEntropyCache = process.env.AWS_LAMBDA_INITIALIZATION_TYPE === 'snap-start';

const RANDOMNESS = { disableEntropyCache };

/** 74 random bits as text. A UUID costs a tenth of as many random bytes, because Node draws the bits for many at once. */
export function newClaimToken(): string {
  return randomUUID(RANDOMNESS).slice(0, 23);
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value === undefined || value === '') {
    throw new BelfryError(
      'NotDeployed',
      `${name} is not set: a job's handler runs in a function that ScheduledJob deploys; in a test, use testJob from 'cdk-belfry/testing'`,
    );
  }
  return value;
}
