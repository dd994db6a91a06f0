import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { CfnRole } from 'aws-cdk-lib/aws-iam';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { CfnOutput, Stack } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { type SchedulerApp, schedulerApp } from './scheduler-app.ts';

const DAILY = { schedule: '0 8 * * *', timeZone: 'UTC', entry: 'job.ts' };

function ownJobs({ scheduler }: SchedulerApp, count: number): void {
  for (let index = 0; index < count; index++) new ScheduledJob(scheduler, `job-${index}`, DAILY);
}

test('a stack of more than 500 resources is refused, with the way out', () => {
  const it = schedulerApp();
  const fleet = new JobFleet(it.scheduler, 'tenant');
  for (let index = 0; index < 495; index++) new FleetJob(fleet, `${index}`, DAILY);
  expect(() => it.app.synth()).toThrow(
    /TooManyResources: stack 'belfry-test' has 50\d resources, CloudFormation takes 500: spread the jobs of Jobs\/Scheduler over more stacks \(stacks, now 1\)/,
  );
});

test('over several stacks, each is looked at by itself', () => {
  const it = schedulerApp({ stacks: 2 });
  const fleet = new JobFleet(it.scheduler, 'tenant');
  for (let index = 0; index < 495; index++) new FleetJob(fleet, `${index}`, DAILY);
  expect(() => it.app.synth()).not.toThrow();
  const [, shard] = it.app.node.children.filter((child) => Stack.isStack(child));
  if (shard === undefined) throw new Error('no shard');
  for (let index = 0; index < 300; index++) new CfnQueue(shard, `Queue${index}`);
  expect(() => it.app.synth({ force: true })).toThrow(/TooManyResources: stack 'belfry-test-00' has \d+ resources/);
});

test('a stack of more than 200 outputs is refused', () => {
  const { app, stack } = schedulerApp();
  // Beside those that the scheduler exports.
  for (let index = 0; index < 195; index++) new CfnOutput(stack, `Output${index}`, { value: 'x' });
  expect(() => app.synth()).toThrow(/TooManyOutputs: stack 'belfry-test' has 201 outputs, CloudFormation takes 200/);
});

test('a template of more than a megabyte is refused, however few its resources', () => {
  const it = schedulerApp();
  ownJobs(it, 3);
  it.stack.templateOptions.metadata = { text: 'ü'.repeat(500_000) };
  expect(() => it.app.synth()).toThrow(
    expect.objectContaining({
      code: 'TemplateTooLarge',
      message: expect.stringMatching(
        /^stack 'belfry-test' has 1,0\d\d,\d{3} bytes of template, CloudFormation takes 1,000,000/,
      ),
    }),
  );
});

test('as many jobs of their own function as the documentation reckons with fit into a stack', () => {
  const it = schedulerApp();
  ownJobs(it, 120);
  expect(() => it.app.synth()).not.toThrow();
});

test('an app that would fill the account with roles is told of fleets, whichever stacks they are in', () => {
  const env = { account: '123456789012', region: 'eu-west-1' };
  const it = schedulerApp({ env });
  ownJobs(it, 3);
  const roles = (id: string, count: number, account: string) => {
    const stack = new Stack(it.app, id, { env: { ...env, account } });
    const assumeRolePolicyDocument = {};
    for (let index = 0; index < count; index++) new CfnRole(stack, `Role${index}`, { assumeRolePolicyDocument });
  };
  roles('One', 450, env.account);
  roles('Two', 440, env.account);
  roles('Elsewhere', 400, '210987654321');
  const told = () => Annotations.fromStack(it.stack).findWarning('*', Match.stringLikeRegexp('IAM roles'));
  it.app.synth();
  expect(told()).toEqual([]);
  roles('Three', 10, env.account);
  it.app.synth({ force: true });
  expect(told()).toMatchObject([
    {
      entry: { data: expect.stringMatching(/declares 90\d IAM roles for one account, which may have 1,000.*JobFleet/) },
    },
  ]);
});
