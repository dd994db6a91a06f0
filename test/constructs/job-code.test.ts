import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  LayerVersion,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobAlarms } from '../../lib/constructs/job-alarms.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { schedulerApp } from './scheduler-app.ts';

const DAILY = { schedule: '@daily', timeZone: 'UTC' };

function existingFunction(stack: Stack, props: object = {}): LambdaFunction {
  return new LambdaFunction(stack, 'Mine', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {}'),
    timeout: Duration.minutes(3),
    ...props,
  });
}

describe('a function of the app', () => {
  test('becomes a job’s: it is told its definition and may reach its records', () => {
    const { stack, scheduler } = schedulerApp();
    const fn = existingFunction(stack, { functionName: 'mine' });
    const job = new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: fn });

    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'mine',
      Environment: {
        Variables: {
          BELFRY_ENVIRONMENT: 'test',
          BELFRY_SCHEDULER: 'belfry-test',
          BELFRY_JOB: JSON.stringify(job.definition),
        },
      },
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Sid: 'OwnRunRecords' })]) },
      Roles: [{ Ref: Match.stringLikeRegexp('^Mine') }],
    });
    expect(job.definition.timeoutMs).toBe(180_000);
    expect(scheduler.manifest.functions).toEqual({ dunning: 'mine' });
  });

  test('may be invoked by the scheduler', () => {
    const { stack, scheduler } = schedulerApp({ env: { account: '123456789012', region: 'eu-west-1' } });
    new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: existingFunction(stack, { functionName: 'mine' }) });
    expect(JSON.stringify(Template.fromStack(stack).findResources('AWS::IAM::Role'))).toContain(':function:mine"');
  });

  test('needs a name', () => {
    const { stack, scheduler } = schedulerApp();
    expect(() => new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: existingFunction(stack) })).toThrow(
      expect.objectContaining({ code: 'UnnamedFunction' }),
    );
  });

  test('runs one job, because it is told one definition', () => {
    const { stack, scheduler } = schedulerApp();
    const fn = existingFunction(stack, { functionName: 'mine' });
    new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: fn });
    expect(() => new ScheduledJob(scheduler, 'cleanup', { ...DAILY, function: fn })).toThrow(
      expect.objectContaining({
        code: 'FunctionTaken',
        message: expect.stringContaining("runs job 'dunning' already"),
      }),
    );
  });

  test('is the function itself, not a version of it', () => {
    const { stack, scheduler } = schedulerApp();
    const version = existingFunction(stack, { functionName: 'mine' }).currentVersion as IFunction;
    expect(() => new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: version })).toThrow(
      expect.objectContaining({ code: 'FunctionVersion' }),
    );
  });

  test('is not a durable one', () => {
    const { stack, scheduler } = schedulerApp();
    const durableConfig = { executionTimeout: Duration.hours(1) };
    const fn = existingFunction(stack, { functionName: 'mine', durableConfig });
    expect(() => new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: fn })).toThrow(
      expect.objectContaining({ code: 'DurableFunction' }),
    );
  });

  test('without a timeout has the three seconds that Lambda grants, which are too few', () => {
    const { stack, scheduler } = schedulerApp();
    const fn = existingFunction(stack, { functionName: 'mine', timeout: undefined });
    expect(() => new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: fn })).toThrow(
      expect.objectContaining({ code: 'TimeoutTooShort', message: expect.stringContaining('timeout is 3 seconds') }),
    );
  });

  test.each([
    ['the job', { memorySize: 512 }, {}],
    ['the environment', {}, { dunning: { timeout: Duration.minutes(1) } }],
  ])('keeps what is its own, whatever %s says', (_, props, overrides) => {
    const { stack, scheduler } = schedulerApp({ overrides });
    const fn = existingFunction(stack, { functionName: 'mine' });
    expect(() => new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: fn, ...props })).toThrow(
      expect.objectContaining({ code: 'OptionWithoutEffect' }),
    );
  });
});

describe('a function of another app', () => {
  function imported(stack: Stack, role?: Role) {
    return LambdaFunction.fromFunctionAttributes(stack, 'Theirs', {
      functionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:theirs',
      ...(role === undefined ? {} : { role }),
    });
  }

  test('is fired and may reach its records; what it cannot be told is a warning', () => {
    const { stack, scheduler } = schedulerApp({ env: { account: '123456789012', region: 'eu-west-1' } });
    const role = new Role(stack, 'Theirs Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const job = new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: imported(stack, role) });
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      Target: { Arn: 'arn:aws:lambda:eu-west-1:123456789012:function:theirs' },
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Sid: 'OwnRunRecords' })]) },
    });
    Annotations.fromStack(stack).hasWarning(
      '*',
      Match.stringLikeRegexp('set BELFRY_TABLE, BELFRY_ENVIRONMENT, BELFRY_SCHEDULER, BELFRY_JOB there'),
    );
    expect(job.variables.BELFRY_JOB).toBe(JSON.stringify(job.definition));
  });

  test('needs a role', () => {
    const { stack, scheduler } = schedulerApp();
    expect(() => new ScheduledJob(scheduler, 'dunning', { ...DAILY, function: imported(stack) })).toThrow(
      expect.objectContaining({ code: 'FunctionWithoutRole' }),
    );
  });
});

describe('a container image', () => {
  test('is what the job’s function runs', () => {
    const { stack, scheduler } = schedulerApp();
    const image = Code.fromEcrImage(Repository.fromRepositoryName(stack, 'Images', 'jobs'), { tagOrDigest: 'v1' });
    new ScheduledJob(scheduler, 'dunning', { ...DAILY, image, architecture: Architecture.X86_64 });
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      PackageType: 'Image',
      Architectures: ['x86_64'],
      Code: { ImageUri: Match.anyValue() },
    });
  });
});

test.each([
  ['none of entry, image and function', {}, 'none of them'],
  ['two of them', { entry: 'job.ts', image: Code.fromAssetImage('.') }, 'entry and image'],
])('%s is an error', (_, props, got) => {
  const { scheduler } = schedulerApp();
  expect(() => new ScheduledJob(scheduler, 'dunning', { ...DAILY, ...props })).toThrow(
    expect.objectContaining({ code: 'NotOneHandler', message: expect.stringContaining(got) }),
  );
});

test('files beside an image would change nothing', () => {
  const { scheduler } = schedulerApp();
  const props = { ...DAILY, image: Code.fromAssetImage('.'), files: ['job.ts'] };
  expect(() => new ScheduledJob(scheduler, 'dunning', props)).toThrow(
    expect.objectContaining({ code: 'OptionWithoutEffect', message: expect.stringContaining('files') }),
  );
});

test('layers, processor, memory, variables and how long logs are kept go to the function', () => {
  const { stack, scheduler } = schedulerApp({ logRetention: RetentionDays.ONE_WEEK });
  const arn = 'arn:aws:lambda:eu-west-1:123456789012:layer:fonts:1';
  new ScheduledJob(scheduler, 'dunning', {
    ...DAILY,
    entry: 'job.ts',
    layers: [LayerVersion.fromLayerVersionArn(stack, 'Fonts', arn)],
    architecture: Architecture.X86_64,
    memorySize: 1024,
    environment: { BUCKET: 'invoices' },
  });
  const template = Template.fromStack(stack);
  template.hasResourceProperties('AWS::Lambda::Function', {
    Layers: [arn],
    Architectures: ['x86_64'],
    MemorySize: 1024,
    Environment: { Variables: { BUCKET: 'invoices' } },
  });
  template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
});

test('a job in a network may manage its interfaces', () => {
  const { stack, scheduler } = schedulerApp();
  const vpc = Vpc.fromVpcAttributes(stack, 'Network', {
    vpcId: 'vpc-1',
    availabilityZones: ['eu-west-1a'],
    privateSubnetIds: ['subnet-1'],
  });
  new ScheduledJob(scheduler, 'dunning', { ...DAILY, entry: 'job.ts', vpc });
  const template = Template.fromStack(stack);
  template.hasResourceProperties('AWS::Lambda::Function', { VpcConfig: { SubnetIds: Match.anyValue() } });
  template.hasResourceProperties('AWS::IAM::Role', {
    Policies: [{ PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Sid: 'OwnNetworkInterfaces' })]) } }],
  });
});

describe('metrics and grants', () => {
  test('of a job are those that the runtime writes', () => {
    const { scheduler } = schedulerApp();
    const job = new ScheduledJob(scheduler, 'dunning', { ...DAILY, entry: 'job.ts' });
    const dimensions = { Scheduler: 'belfry-test', Job: 'dunning' };
    expect(job.metricMissed()).toMatchObject({
      namespace: 'Belfry',
      metricName: 'Missed',
      dimensions,
      statistic: 'Sum',
    });
    expect(job.metricFailed({ period: Duration.hours(1) }).period.toHours()).toBe(1);
    expect(scheduler.metric('Failed')).toMatchObject({
      metricName: 'Failed',
      dimensions: { Scheduler: 'belfry-test' },
    });
  });

  test('that only a job with detailed metrics tells by its name are refused for others', () => {
    const { stack, scheduler } = schedulerApp({ overrides: { billing: { metrics: 'detailed' } } });
    const plain = new ScheduledJob(scheduler, 'dunning', { ...DAILY, entry: 'job.ts' });
    const detailed = new ScheduledJob(scheduler, 'billing', { ...DAILY, entry: 'job.ts' });
    const foreign = { prefix: 'billing', jobName: 'dunning' };
    const dimensions = { Scheduler: 'belfry-test', Job: 'billing' };
    expect(detailed.metricDuration()).toMatchObject({ metricName: 'Duration', dimensions, statistic: 'Average' });
    expect(detailed.definition.metrics).toBe('detailed');
    expect(
      ScheduledJob.fromScheduledJobAttributes(stack, 'A', { ...foreign, metrics: 'detailed' }).metricLateness(),
    ).toBeDefined();
    for (const job of [plain, ScheduledJob.fromScheduledJobAttributes(stack, 'B', foreign)]) {
      for (const ask of [
        'metricDuration',
        'metricLateness',
        'metricSucceeded',
        'metricRetried',
        'metricFenced',
      ] as const) {
        expect(() => job[ask]()).toThrow(expect.objectContaining({ code: 'MetricNotTold' }));
      }
    }
  });

  test('of all jobs of a fleet or a scheduler can be detailed', () => {
    const { scheduler } = schedulerApp({ defaults: { metrics: 'detailed' } });
    const fleet = new JobFleet(scheduler, 'tenant', { metrics: 'failures' });
    expect(new FleetJob(new JobFleet(scheduler, 'shop'), 'a', { ...DAILY, entry: 'job.ts' }).options.metrics).toBe(
      'detailed',
    );
    const inFleet = new FleetJob(fleet, 'a', { ...DAILY, entry: 'job.ts' });
    const alone = new ScheduledJob(scheduler, 'dunning', { ...DAILY, entry: 'job.ts' });
    expect([alone.options.metrics, inFleet.options.metrics]).toEqual(['detailed', 'failures']);
    expect(inFleet.definition).not.toHaveProperty('metrics');
  });

  test('of a fleet are those of the scheduler, unless a job has an alarm of its own or asks for more', () => {
    const { app, scheduler } = schedulerApp();
    const fleet = new JobFleet(scheduler, 'tenant');
    const job = (id: string, more: object = {}) => new FleetJob(fleet, id, { ...DAILY, entry: 'job.ts', ...more });
    const told = [job('a'), job('b', { failedAlarm: true }), job('c', { metrics: 'failures' })];
    expect(told.map(({ options }) => options.metrics)).toEqual(['scheduler', 'failures', 'failures']);
    expect(told.map(({ definition }) => definition.metrics)).toEqual(['scheduler', undefined, undefined]);
    expect(() => told[0]?.metricFailed()).toThrow(expect.objectContaining({ code: 'MetricNotTold' }));
    new JobAlarms(new Stack(app, 'Watch'), 'A', { scheduler, job: 'tenant-a' });
    expect(() => app.synth()).toThrow(/MetricNotTold: alarms for job 'tenant-a'/);
  });

  test('of a job that another app declares are there by its name', () => {
    const { stack } = schedulerApp({ env: { account: '123456789012', region: 'eu-west-1' } });
    const job = ScheduledJob.fromScheduledJobAttributes(stack, 'Dunning', { prefix: 'billing', jobName: 'dunning' });
    expect(job.metricMissed().dimensions).toEqual({ Scheduler: 'billing', Job: 'dunning' });
    const operator = new Role(stack, 'Operator', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
    job.grantTrigger(operator);
    Template.fromStack(stack).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          {
            Action: 'lambda:InvokeFunction',
            Effect: 'Allow',
            Resource: {
              'Fn::Join': [
                '',
                ['arn:', { Ref: 'AWS::Partition' }, ':lambda:eu-west-1:123456789012:function:billing_dunning'],
              ],
            },
          },
        ],
      },
    });
  });
});
