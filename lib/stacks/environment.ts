import { Duration } from 'aws-cdk-lib/core';
import { z } from 'zod';
import { BelfryError } from '../domain/errors.ts';

const seconds = z
  .number()
  .int()
  .positive()
  .transform((count) => Duration.seconds(count));

/** What an environment may say of a job, or of all jobs: all that a job can say of itself. Durations in seconds. */
const jobOverride = z.strictObject({
  enabled: z.boolean().exactOptional(),
  failedAlarm: z.boolean().exactOptional(),
  metrics: z.enum(['scheduler', 'failures', 'detailed']).exactOptional(),
  sourceMaps: z.boolean().exactOptional(),
  schedule: z.union([z.string(), z.array(z.string()).min(1)]).exactOptional(),
  timeZone: z.string().exactOptional(),
  memorySize: z.number().int().min(128).max(10_240).exactOptional(),
  environment: z.record(z.string(), z.string()).exactOptional(),
  timeout: seconds.exactOptional(),
  startGrace: seconds.exactOptional(),
  expectedDuration: seconds.exactOptional(),
  minimumDuration: seconds.exactOptional(),
  overlap: z.enum(['skip', 'bufferOne', 'cancelOther', 'allow']).exactOptional(),
  retry: z
    .strictObject({
      maxAttempts: z.number().int().min(1).exactOptional(),
      backoff: z.enum(['fixed', 'linear', 'exponential']).exactOptional(),
      initialDelay: seconds.exactOptional(),
      maxDelay: seconds.exactOptional(),
    })
    .exactOptional(),
  catchUp: z
    .strictObject({
      policy: z.enum(['none', 'latest', 'all']).exactOptional(),
      maxAge: seconds.exactOptional(),
      maxRuns: z.number().int().min(1).exactOptional(),
      harmfulWhenLate: z.boolean().exactOptional(),
    })
    .exactOptional(),
  dst: z
    .strictObject({
      gap: z.enum(['skip', 'runAfter']).exactOptional(),
      fold: z.enum(['first', 'second', 'both']).exactOptional(),
    })
    .exactOptional(),
  lease: z.enum(['invocation', 'heartbeat']).exactOptional(),
  onTimeout: z.enum(['retry', 'fail', 'hold']).exactOptional(),
  pausable: z.boolean().exactOptional(),
  continuation: z.enum(['auto', 'manual']).exactOptional(),
  maxSegments: z.number().int().min(1).exactOptional(),
});

const address = z.union([z.email(), z.url({ protocol: /^https$/ })], {
  error: 'must be an e-mail address or an https URL',
});

const environment = z.strictObject({
  account: z
    .string()
    .regex(/^\d{12}$/, 'must be 12 digits')
    .exactOptional(),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must look like 'eu-west-1'")
    .exactOptional(),
  /** Keep the data when stacks are destroyed, refuse to delete the tables, back them up continuously. */
  protected: z.boolean(),
  logRetentionDays: z.union([1, 3, 5, 7, 14, 30, 60, 90, 120, 180, 365].map((days) => z.literal(days))),
  /** Who is told, by severity; `remindHours`: again while a job is not well, then after twice the time, and so on. */
  alerts: z
    .strictObject({
      page: z.array(address).exactOptional(),
      ticket: z.array(address).exactOptional(),
      warn: z.array(address).exactOptional(),
      remindHours: z.number().positive().default(24),
    })
    .prefault({}),
  /** Most alarms here: each is billed. */
  maxAlarms: z.number().int().positive().default(50),
  /** An event on an EventBridge bus for each change of a run's state. */
  lifecycleEvents: z.boolean().default(false),
  /** Times in which alarms tell nobody. `begins` in five fields as in unix, of numbers, lists, ranges and `*`. */
  maintenance: z
    .array(
      z.strictObject({
        begins: z.string(),
        timeZone: z.string(),
        minutes: z.number().int().positive(),
      }),
    )
    .default([]),
  /** A CloudWatch dashboard: 3 USD a month, as much as all the rest of a few jobs. An account has three for nothing. */
  dashboard: z.boolean().default(false),
  /** Options of all jobs here. */
  defaults: jobOverride.omit({ schedule: true, timeZone: true }).prefault({}),
  /** What is different here, by job. */
  jobs: z.record(z.string(), jobOverride).prefault({}),
});

export type Environment = Readonly<z.output<typeof environment>> & { readonly name: string };

export type EnvironmentsInput = Readonly<Record<string, z.input<typeof environment>>>;

/**
 * Checks the environments.
 * @throws BelfryError `InvalidEnvironment`, naming the environment, the key, and what is allowed there
 */
export function parseEnvironments(input: EnvironmentsInput): readonly Environment[] {
  return Object.entries(input).map(([name, value]) => {
    const parsed = environment.safeParse(value);
    if (!parsed.success) {
      throw new BelfryError(
        'InvalidEnvironment',
        `environment '${name}': ${parsed.error.issues.map(explain).join('; ')}`,
      );
    }
    return { ...parsed.data, name };
  });
}

/**
 * The environments to synthesise: all, or the one that was asked for (`cdk synth -c environment=dev`).
 * @throws BelfryError `UnknownEnvironment`
 */
export function selectEnvironments(environments: readonly Environment[], wanted: unknown): readonly Environment[] {
  if (wanted === undefined || wanted === null || wanted === '') return environments;
  const selected = environments.filter(({ name }) => name === wanted);
  if (selected.length === 0) {
    throw new BelfryError(
      'UnknownEnvironment',
      `there is no environment ${JSON.stringify(wanted)}: known are ${environments.map(({ name }) => name).join(', ')}`,
    );
  }
  return selected;
}

/** Keys that exist at the place an issue points to. */
function explain(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => `'${path === '' ? key : `${path}.${key}`}'`).join(', ');
    return `unknown key ${keys}; known are ${knownKeys(issue.path).join(', ')}`;
  }
  return `'${path}' ${issue.message}`;
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  let at: unknown = environment;
  for (const key of path) {
    const within = unwrapped(at);
    if (within instanceof z.ZodObject) at = within.shape[String(key)];
    else if (within instanceof z.ZodRecord) at = within.valueType;
    else if (within instanceof z.ZodArray) at = within.element;
  }
  const found = unwrapped(at);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

/** What a schema is about, whether or not it may be left out. */
function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodExactOptional
    ? unwrapped(schema.unwrap())
    : schema;
}
