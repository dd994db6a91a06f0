import { Match, Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { readManifestInput } from '../support/manifest-input.ts';
import { schedulerApp } from './scheduler-app.ts';

const UTC_DAILY = { schedule: '0 8 * * *', timeZone: 'UTC', entry: 'job.ts' };

/** Templates by stack. */
function spread(jobs: number, stacks: number): Map<string, string> {
  const { app, scheduler } = schedulerApp({ stacks });
  for (let n = 0; n < jobs; n++) new ScheduledJob(scheduler, `job-${n}`, UTC_DAILY);
  app.synth();
  const all = app.node.children.filter((child) => child instanceof Stack);
  return new Map(all.map((stack) => [stack.stackName, JSON.stringify(Template.fromStack(stack).toJSON())]));
}

test('jobs are spread over stacks beside the scheduler’s', () => {
  const templates = spread(24, 4);
  expect([...templates.keys()]).toEqual(['', '-00', '-01', '-02', '-03'].map((part) => `belfry-test${part}`));
  const counts = [...templates.values()].map((text) => text.match(/"AWS::Lambda::Function"/g)?.length ?? 0);
  expect(counts[0]).toBe(0);
  expect(Math.min(...counts.slice(1))).toBeGreaterThan(0);
  expect(counts.reduce((total, count) => total + count)).toBe(24);
});

test('each stack deploys after the group that its schedules name, and tells the watchdog of its jobs', () => {
  const { app, stack, scheduler } = schedulerApp({ stacks: 2 });
  new ScheduledJob(scheduler, 'job-1', UTC_DAILY);
  app.synth();
  const shards = app.node.children.filter((child) => child instanceof Stack && child !== stack) as Stack[];
  const told = shards.map((shard) => {
    expect(shard.dependencies).toContain(stack);
    const manifests = Template.fromStack(shard).findResources('AWS::Scheduler::Schedule', {
      Properties: { Name: Match.stringLikeRegexp('\\.manifest') },
    });
    const [properties] = Object.values(manifests).map(({ Properties }) => Properties);
    return [properties?.Name, readManifestInput(properties?.Target.Input).jobs.map(({ name }) => name)];
  });
  // A stack without jobs says so: it is not the same as one that is not there.
  expect(told.map(([name]) => name)).toEqual(['belfry-test.manifest-00', 'belfry-test.manifest-01']);
  expect(told.flatMap(([, jobs]) => jobs)).toEqual(['job-1']);
});

test('a fleet has a function in each stack of its jobs, and one role', () => {
  const { app, stack, scheduler } = schedulerApp({ stacks: 2 });
  const fleet = new JobFleet(scheduler, 'tenant');
  for (let n = 0; n < 8; n++) new FleetJob(fleet, `${n}`, UTC_DAILY);
  app.synth();
  const count = (of: Stack, type: string) => Object.keys(Template.fromStack(of).findResources(type)).length;
  const shards = app.node.children.filter((child) => child instanceof Stack && child !== stack) as Stack[];
  expect(count(stack, 'AWS::Lambda::Function')).toBe(0);
  expect(shards.map((shard) => count(shard, 'AWS::Lambda::Function'))).toEqual([1, 1]);
  expect(shards.reduce((total, shard) => total + count(shard, 'AWS::Scheduler::Schedule'), 0)).toBe(8 + 2);
  expect(fleet.functions).toHaveLength(2);
  expect(scheduler.manifest.functions).toMatchObject({
    'tenant-0': expect.stringMatching(/^belfry-test_tenant-0[01]$/),
    'tenant-7': expect.stringMatching(/^belfry-test_tenant-0[01]$/),
  });
});

test.each([0, 1.5, 101])('%d stacks are an error', (stacks) => {
  expect(() => schedulerApp({ stacks })).toThrow(expect.objectContaining({ code: 'IllegalStackCount' }));
});
