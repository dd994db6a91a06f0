import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { RemovalPolicy, Stack, type Stage } from 'aws-cdk-lib/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import { LifecycleEvents } from '../../lib/constructs/lifecycle-events.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { Watchdog } from '../../lib/constructs/watchdog.ts';
import { type EnvironmentsInput, parseEnvironments } from '../../lib/stacks/environment.ts';
import { EnvironmentStage } from '../../lib/stacks/environment-stage.ts';
import { quietApp, schedulerApp } from '../constructs/scheduler-app.ts';

/** What is lost with the resource: records, logs, messages. */
const STATEFUL = ['AWS::DynamoDB::GlobalTable', 'AWS::Logs::LogGroup', 'AWS::SQS::Queue'];

/** Made again from the template, as good as it was. A type that is in neither list has to be put into one. */
const STATELESS = [
  'AWS::CDK::Metadata',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::AlarmMuteRule',
  'AWS::CloudWatch::Dashboard',
  'AWS::Events::EventBus',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  // Encrypts messages of topics, which nobody keeps.
  'AWS::KMS::Key',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  // Takes the schedules in it along, also those that were made at run time.
  'AWS::Scheduler::ScheduleGroup',
  'AWS::Scheduler::Schedule',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
];

/** Names that a stateful resource could have been given. */
const NAME_PROPERTIES = ['TableName', 'LogGroupName', 'QueueName'];

const EVERYTHING = {
  logRetentionDays: 7,
  lifecycleEvents: true,
  alerts: { page: ['someone@example.com'] },
  maintenance: [{ begins: '0 2 * * 0', timeZone: 'Europe/Berlin', minutes: 90 }],
  jobs: { 'invoice-dunning': { failedAlarm: true } },
} satisfies Partial<EnvironmentsInput[string]>;

const outdir = mkdtempSync(join(tmpdir(), 'belfry-destroy-'));
const stages: Record<string, Stage> = {};

beforeAll(() => {
  const app = quietApp(outdir);
  const environments = parseEnvironments({
    dev: { ...EVERYTHING, protected: false },
    prod: { ...EVERYTHING, protected: true },
  });
  for (const environment of environments) stages[environment.name] = new EnvironmentStage(app, environment);
  app.synth();
}, 120_000);
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

function resourcesOf(environment: string): [string, Resource][] {
  const stacks = stages[environment]?.node.children.filter((child) => child instanceof Stack) ?? [];
  return stacks.flatMap((stack) =>
    Object.entries(Template.fromStack(stack).toJSON().Resources as Record<string, Resource>).map(
      ([id, resource]): [string, Resource] => [`${stack.node.id}/${id}`, resource],
    ),
  );
}

describe.each(['dev', 'prod'])('%s', (environment) => {
  test('every type is known to hold state or not', () => {
    const types = new Set(resourcesOf(environment).map(([, { Type }]) => Type));
    expect([...types].filter((type) => ![...STATEFUL, ...STATELESS].includes(type))).toEqual([]);
    expect(STATEFUL.filter((type) => !types.has(type))).toEqual([]);
  });

  test('nobody makes a log group that CloudFormation does not know of', () => {
    const functions = resourcesOf(environment).filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
    expect(functions.length).toBeGreaterThan(5);
    for (const [id, { Properties }] of functions)
      expect([id, Properties?.LoggingConfig]).toEqual([id, expect.anything()]);
    expect(JSON.stringify(resourcesOf(environment))).not.toMatch(/logs:CreateLogGroup|AWSLambdaBasicExecutionRole/);
  });
});

test('what is not protected leaves nothing', () => {
  const left = resourcesOf('dev').filter(
    ([, { DeletionPolicy = 'Delete', UpdateReplacePolicy = 'Delete', Properties }]) =>
      DeletionPolicy !== 'Delete' || UpdateReplacePolicy !== 'Delete' || isProtectedTable(Properties),
  );
  expect(left).toEqual([]);
});

test('what is protected keeps all that holds state, and nothing else', () => {
  const kept = resourcesOf('prod').filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');
  const stateful = resourcesOf('prod').filter(([, { Type }]) => STATEFUL.includes(Type));
  expect(kept.map(([id]) => id)).toEqual(stateful.map(([id]) => id));
  for (const [id, { UpdateReplacePolicy }] of kept) expect([id, UpdateReplacePolicy]).toEqual([id, 'Retain']);
});

test.each([RemovalPolicy.RETAIN, RemovalPolicy.DESTROY])(
  'jobs in fleets and in several stacks: %s',
  (removalPolicy) => {
    const { app, scheduler } = schedulerApp({ stacks: 2, removalPolicy });
    const fleet = new JobFleet(scheduler, 'tenant');
    for (const name of ['acme', 'bolt', 'core', 'dyne']) {
      new FleetJob(fleet, name, { schedule: '@daily', timeZone: 'UTC', entry: 'job.ts' });
      new ScheduledJob(scheduler, name, { schedule: '@daily', timeZone: 'UTC', entry: 'job.ts' });
    }
    const watch = new Stack(app, 'Watch');
    new Watchdog(watch, 'Watchdog', { scheduler });
    new LifecycleEvents(watch, 'Lifecycle', { scheduler });
    const stacks = app.node.findAll().filter((child) => child instanceof Stack);
    const stateful = stacks.flatMap((stack) =>
      Object.entries(Template.fromStack(stack).toJSON().Resources as Record<string, Resource>).filter(([, { Type }]) =>
        STATEFUL.includes(Type),
      ),
    );
    expect(stateful.length).toBeGreaterThanOrEqual(6);
    const expected = removalPolicy === RemovalPolicy.RETAIN ? 'Retain' : 'Delete';
    for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of stateful) {
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, expected, expected]);
    }
  },
);

test('what is kept has no name of its own, so that it is in nobody’s way at the next deployment', () => {
  const named = resourcesOf('prod')
    .filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain')
    .filter(([, { Properties = {} }]) => NAME_PROPERTIES.some((name) => name in Properties));
  expect(named).toEqual([]);
});

function isProtectedTable(properties: Resource['Properties'] = {}): boolean {
  const replicas = (properties.Replicas ?? []) as readonly { readonly DeletionProtectionEnabled?: boolean }[];
  return replicas.some(({ DeletionProtectionEnabled }) => DeletionProtectionEnabled === true);
}
