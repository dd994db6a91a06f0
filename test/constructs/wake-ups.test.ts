import { Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { expect, test } from 'vitest';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import type { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import type { JobSchedulerProps } from '../../lib/constructs/job-scheduler-props.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { schedulerApp } from './scheduler-app.ts';

const DAILY = { schedule: '@daily', timeZone: 'UTC', entry: 'job.ts' };
const ENV = { account: '123456789012', region: 'eu-west-1' };
const MENTIONS = /CreateSchedule|PassRole|BELFRY_WAKE_UP|scheduler\.amazonaws\.com/;

interface RoleProperties {
  readonly Path?: string;
  readonly AssumeRolePolicyDocument: { readonly Statement: readonly object[] };
  readonly Policies: readonly {
    readonly PolicyDocument: { readonly Statement: readonly { readonly Sid: string }[] };
  }[];
}

/** What is deployed for the function of this name: its role's properties, its variables, and how much there is in all. */
function deployed(
  functionName: string,
  declare: (scheduler: JobScheduler) => void,
  props: Partial<JobSchedulerProps> = {},
) {
  const { stack, scheduler } = schedulerApp({ env: ENV, ...props });
  declare(scheduler);
  const template = Template.fromStack(stack);
  const [found] = Object.values(
    template.findResources('AWS::Lambda::Function', { Properties: { FunctionName: functionName } }),
  );
  const logicalId: string = found?.Properties.Role['Fn::GetAtt'][0];
  const role: RoleProperties = template.findResources('AWS::IAM::Role')[logicalId]?.Properties;
  const statements = role.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  return {
    group: scheduler.scheduleGroupName,
    logicalId,
    role,
    statement: (sid: string) => statements.find(({ Sid }) => Sid === sid),
    variables: found?.Properties.Environment.Variables as Readonly<Record<string, unknown>>,
    resources: Object.keys(template.toJSON().Resources as object).length,
  };
}

const dunning = (scheduler: JobScheduler) => void new ScheduledJob(scheduler, 'dunning', DAILY);
const arn = (rest: string) => ({ 'Fn::Sub': `arn:\u0024{AWS::Partition}${rest}` });

test('a function may create schedules in its jobs’ names, pass its own role and be invoked by it: nothing else', () => {
  const { group, statement, logicalId, variables } = deployed('belfry-test_dunning', dunning);
  expect(statement('OwnWakeUps')).toEqual({
    Sid: 'OwnWakeUps',
    Effect: 'Allow',
    Action: 'scheduler:CreateSchedule',
    Resource: arn(`:scheduler:eu-west-1:123456789012:schedule/${group}/dunning.*`),
  });
  expect(statement('OwnRoleForWakeUps')).toEqual({
    Sid: 'OwnRoleForWakeUps',
    Effect: 'Allow',
    Action: 'iam:PassRole',
    Resource: arn(':iam::123456789012:role/belfry/eu-west-1/belfry-test_dunning/*'),
    Condition: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  });
  expect(statement('WokenByOwnWakeUps')).toEqual({
    Sid: 'WokenByOwnWakeUps',
    Effect: 'Allow',
    Action: 'lambda:InvokeFunction',
    Resource: arn(':lambda:eu-west-1:123456789012:function:belfry-test_dunning'),
  });
  expect(variables).toMatchObject({
    BELFRY_SCHEDULER: group,
    BELFRY_WAKE_UP_ROLE: { 'Fn::GetAtt': [logicalId, 'Arn'] },
  });
});

test('its role has the path that it may pass, and is assumed by Lambda and for schedules of the group', () => {
  const { role, group } = deployed('belfry-test_dunning', dunning);
  expect(role.Path).toBe('/belfry/eu-west-1/belfry-test_dunning/');
  const assume = { Action: 'sts:AssumeRole', Effect: 'Allow' };
  expect(role.AssumeRolePolicyDocument.Statement).toEqual([
    { ...assume, Principal: { Service: 'lambda.amazonaws.com' } },
    {
      ...assume,
      Principal: { Service: 'scheduler.amazonaws.com' },
      Condition: {
        StringEquals: {
          'aws:SourceAccount': '123456789012',
          'aws:SourceArn': arn(`:scheduler:eu-west-1:123456789012:schedule-group/${group}`),
        },
      },
    },
  ]);
});

test('it costs no resource', () => {
  const without = deployed('belfry-test_dunning', dunning, { wakeUps: false });
  expect(deployed('belfry-test_dunning', dunning).resources).toBe(without.resources);
});

test('switched off, a function cannot create schedules, and only Lambda assumes its role', () => {
  const { role, variables } = deployed('belfry-test_dunning', dunning, { wakeUps: false });
  expect(JSON.stringify([role, variables])).not.toMatch(MENTIONS);
});

test('a function in a network has none unless it is asked for: it may not reach EventBridge Scheduler', () => {
  const inNetwork = (scheduler: JobScheduler) => {
    const vpc = Vpc.fromVpcAttributes(scheduler, 'Network', {
      vpcId: 'vpc-1',
      availabilityZones: ['eu-west-1a'],
      privateSubnetIds: ['subnet-1'],
    });
    new ScheduledJob(scheduler, 'dunning', { ...DAILY, vpc });
  };
  const { role, variables } = deployed('belfry-test_dunning', inNetwork);
  expect(JSON.stringify([role, variables])).not.toMatch(MENTIONS);
  const asked = deployed('belfry-test_dunning', inNetwork, { wakeUps: true });
  expect(asked.variables).toHaveProperty('BELFRY_WAKE_UP_ROLE');
  expect(asked.statement('OwnWakeUps')).toBeDefined();
});

test('a fleet’s function creates those of its jobs, and of nobody else', () => {
  const { group, statement, role } = deployed('belfry-test_tenant', (scheduler) => {
    const fleet = new JobFleet(scheduler, 'tenant');
    new FleetJob(fleet, 'acme', DAILY);
  });
  expect(statement('OwnWakeUps')).toMatchObject({
    Resource: arn(`:scheduler:eu-west-1:123456789012:schedule/${group}/tenant-*.*`),
  });
  expect(role.Path).toBe('/belfry/eu-west-1/belfry-test_tenant/');
});
