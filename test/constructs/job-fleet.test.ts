import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Duration } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { jobSchedules, schedulerApp } from './scheduler-app.ts';

const UTC_DAILY = { schedule: '0 8 * * *', timeZone: 'UTC', entry: 'job.ts' };

function fleetApp() {
  const created = schedulerApp();
  for (const name of ['billing', 'export']) {
    writeFileSync(
      join(created.root, `${name}.ts`),
      `export const handler = async ({ job }) => '${name} ran ' + job;\n`,
    );
  }
  const fleet = new JobFleet(created.scheduler, 'tenant', { timeout: Duration.minutes(2) });
  new FleetJob(fleet, 'acme', { ...UTC_DAILY, entry: 'billing.ts' });
  new FleetJob(fleet, 'bolt', { ...UTC_DAILY, entry: 'export.ts', timeZone: 'Asia/Tokyo' });
  new FleetJob(fleet, 'core', { ...UTC_DAILY, entry: 'billing.ts' });
  return { ...created, fleet };
}

describe('a fleet', () => {
  test('has one function for its jobs, and a schedule for each', () => {
    const { stack } = fleetApp();
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::Lambda::Function', 1);
    const schedules = Object.values(jobSchedules(template));
    expect(schedules.map(({ Properties }) => [Properties.Name, Properties.ScheduleExpressionTimezone])).toEqual([
      ['belfry-test_tenant-acme', 'UTC'],
      ['belfry-test_tenant-bolt', 'Asia/Tokyo'],
      ['belfry-test_tenant-core', 'UTC'],
    ]);
  });

  test('costs one resource a job', () => {
    const count = (jobs: number) => {
      const { stack, scheduler } = schedulerApp();
      const fleet = new JobFleet(scheduler, 'tenant');
      for (let n = 0; n < jobs; n++) new FleetJob(fleet, `${n}`, UTC_DAILY);
      return Object.keys(Template.fromStack(stack).toJSON().Resources as object).length;
    };
    expect(count(11) - count(1)).toBe(10);
  });

  test('reaches the records of jobs that carry its name, and no others', () => {
    const { stack } = fleetApp();
    Template.fromStack(stack).hasResourceProperties('AWS::IAM::Role', {
      Policies: [
        {
          PolicyDocument: {
            Statement: Match.arrayWith([
              Match.objectLike({
                Sid: 'OwnRunRecords',
                Condition: {
                  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['J#tenant-*'] },
                  Null: { 'dynamodb:LeadingKeys': 'false' },
                },
              }),
            ]),
          },
        },
      ],
    });
  });

  test('hands each event to the handler of its job', () => {
    const { app } = fleetApp();
    const { directory } = app.synth();
    const folder = readdirSync(directory)
      .filter((name) => name.startsWith('asset.'))
      .find((name) => readdirSync(join(directory, name)).includes('jobs.json'));
    const root = join(directory, folder ?? '');
    const script = `
      const { handler } = await import(${JSON.stringify(join(root, 'index.mjs'))});
      console.log(await handler({ job: 'tenant-acme' }), '/', await handler({ job: 'tenant-bolt' }));
      try { handler({ job: 'tenant-none' }); } catch (error) { console.log(error.code); }`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: { LAMBDA_TASK_ROOT: root },
      encoding: 'utf8',
    });
    expect(output).toBe('billing ran tenant-acme / export ran tenant-bolt\nUnknownJob\n');
  });

  test('is watched like other jobs', () => {
    const { scheduler } = fleetApp();
    expect(scheduler.manifest.jobs.map(({ name }) => name)).toEqual(['tenant-acme', 'tenant-bolt', 'tenant-core']);
    expect(scheduler.manifest.functions?.['tenant-bolt']).toBe('belfry-test_tenant');
  });
});

describe('names', () => {
  test('of other jobs may not begin like those of a fleet', () => {
    const { scheduler } = fleetApp();
    expect(() => new ScheduledJob(scheduler, 'tenant-other', UTC_DAILY)).toThrow(
      expect.objectContaining({ code: 'NameOfFleet' }),
    );
  });

  test('of a fleet may not begin like those of other jobs', () => {
    const { scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'tenant-other', UTC_DAILY);
    expect(() => new JobFleet(scheduler, 'tenant')).toThrow(expect.objectContaining({ code: 'NameOfFleet' }));
  });
});

test('a job of a fleet may not take longer than the fleet', () => {
  const { fleet } = fleetApp();
  expect(() => new FleetJob(fleet, 'slow', { ...UTC_DAILY, timeout: Duration.minutes(3) })).toThrow(
    /job 'tenant-slow': timeout is 3 minutes, above that of its fleet, 2 minutes/,
  );
});

test('what a fleet’s jobs share, an environment cannot change for one of them', () => {
  const { scheduler } = schedulerApp({ overrides: { 'tenant-acme': { memorySize: 1024 } } });
  const fleet = new JobFleet(scheduler, 'tenant');
  expect(() => new FleetJob(fleet, 'acme', UTC_DAILY)).toThrow(
    expect.objectContaining({
      code: 'OptionWithoutEffect',
      message: expect.stringContaining(
        "memorySize would change nothing: the jobs of fleet 'tenant' share its function",
      ),
    }),
  );
});

test('what is granted to a fleet, each of its roles gets, wherever its jobs are, also those that come later', () => {
  const { app, stack, scheduler } = schedulerApp({ stacks: 3 });
  const fleet = new JobFleet(scheduler, 'tenant');
  const topic = new Topic(stack, 'Told');
  new FleetJob(fleet, 'acme', UTC_DAILY);
  topic.grantPublish(fleet);
  for (const name of ['bolt', 'core', 'dune', 'elan', 'fern']) new FleetJob(fleet, name, UTC_DAILY);
  app.synth();
  expect(fleet.functions.length).toBe(3);
  for (const { stack: of, role } of fleet.functions) {
    const [logicalId] = Object.keys(Template.fromStack(of).findResources('AWS::IAM::Role')).filter((id) =>
      JSON.stringify(of.resolve(role?.roleName)).includes(id),
    );
    const policies = Template.fromStack(of).findResources('AWS::IAM::Policy', {
      Properties: { PolicyDocument: { Statement: [{ Action: 'sns:Publish', Effect: 'Allow' }] } },
    });
    expect(Object.values(policies).map(({ Properties }) => Properties.Roles)).toEqual([[{ Ref: logicalId }]]);
  }
});

test('files of a fleet are looked for in the scheduler’s root', () => {
  const { app, scheduler, root } = schedulerApp();
  writeFileSync(join(root, 'prices.csv'), 'item,price\n');
  const fleet = new JobFleet(scheduler, 'tenant', { files: ['prices.csv'] });
  new FleetJob(fleet, 'acme', UTC_DAILY);
  const { directory } = app.synth();
  const bundles = readdirSync(directory).filter((name) => name.startsWith('asset.'));
  expect(bundles.map((name) => readdirSync(join(directory, name)).includes('prices.csv'))).toEqual([true]);
  expect(() => new JobFleet(scheduler, 'other', { files: ['gone.csv'] })).toThrow(
    expect.objectContaining({ code: 'MissingFile' }),
  );
});
