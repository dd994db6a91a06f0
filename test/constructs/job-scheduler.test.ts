import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Duration, NestedStack, Stack } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { EntryBundle } from '../../lib/constructs/bundle/entry-bundle.ts';
import { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import type { JobSchedulerProps } from '../../lib/constructs/job-scheduler-props.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { SYNTH_TIME, schedulerApp } from './scheduler-app.ts';

const UTC_DAILY = { schedule: '0 8 * * *', timeZone: 'UTC', entry: 'job.ts' };

describe('options', () => {
  test('of the environment win over those of the job, and those over the defaults', () => {
    const { scheduler } = schedulerApp({
      defaults: { timeout: Duration.minutes(1), memorySize: 512, retry: { maxAttempts: 7 } },
      overrides: { dunning: { memorySize: 1024 } },
    });
    const job = new ScheduledJob(scheduler, 'dunning', {
      ...UTC_DAILY,
      timeout: Duration.minutes(2),
      memorySize: 768,
      retry: { backoff: 'fixed' },
    });
    expect(job.options.memorySize).toBe(1024);
    expect(job.definition.timeoutMs).toBe(120_000);
    expect(job.definition.retry).toMatchObject({ maxAttempts: 7, backoff: 'fixed' });
  });

  test('of an environment may move the job to another schedule', () => {
    const { scheduler } = schedulerApp({ overrides: { dunning: { schedule: '@hourly' } } });
    const job = new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
    expect(job.definition).toMatchObject({ schedule: '@hourly', timeZone: 'UTC' });
  });

  test('for a job that is not declared are an error that lists those that are', () => {
    const { app, scheduler } = schedulerApp({ overrides: { duning: { enabled: false } } });
    new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
    expect(() => app.synth()).toThrow(/overrides job 'duning', which is not declared; declared are dunning/);
  });
});

describe('revision', () => {
  test('changes with the schedule, the zone and the DST policy, and with nothing else', () => {
    const revision = (props: object) => {
      const { scheduler } = schedulerApp();
      return new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, ...props }).definition.revision;
    };
    const base = revision({});
    expect(revision({ timeout: Duration.minutes(1), enabled: false })).toBe(base);
    const others = [
      revision({ schedule: '0 9 * * *' }),
      revision({ timeZone: 'Europe/London' }),
      revision({ dst: { gap: 'runAfter' } }),
      revision({ dst: { fold: 'both' } }),
    ];
    expect(new Set([base, ...others]).size).toBe(5);
  });
});

describe('manifest', () => {
  test('holds the jobs that fire', () => {
    const { scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
    new ScheduledJob(scheduler, 'asleep', { ...UTC_DAILY, enabled: false });
    expect(scheduler.manifest).toMatchObject({ version: 1, environment: 'test', jobs: [{ name: 'dunning' }] });
    expect(scheduler.manifest.jobs).toHaveLength(1);
  });
});

describe('scheduler role', () => {
  test('may be assumed for schedules of its own group only', () => {
    const { stack, scheduler } = schedulerApp({ env: { account: '123456789012', region: 'eu-west-1' } });
    new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
    Template.fromStack(stack).hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Principal: { Service: 'scheduler.amazonaws.com' },
            Action: 'sts:AssumeRole',
            Effect: 'Allow',
            Condition: {
              StringEquals: {
                'aws:SourceArn': {
                  'Fn::Sub': `arn:\u0024{AWS::Partition}:scheduler:eu-west-1:123456789012:schedule-group/${scheduler.scheduleGroupName}`,
                },
                'aws:SourceAccount': '123456789012',
              },
            },
          },
        ],
      },
    });
  });

  test('may invoke the functions by name, and by their prefix once they are many', () => {
    const invocable = (count: number) => {
      const { stack, scheduler } = schedulerApp({ env: { account: '123456789012', region: 'eu-west-1' } });
      for (let n = 0; n < count; n++) new ScheduledJob(scheduler, `job-${n}`, UTC_DAILY);
      const roles = Template.fromStack(stack).findResources('AWS::IAM::Role', {
        Properties: { Policies: [Match.objectLike({ PolicyName: 'InvokeJobs' })] },
      });
      return JSON.stringify(roles);
    };
    expect(invocable(2)).toContain(':lambda:eu-west-1:123456789012:function:belfry-test_job-1"');
    expect(invocable(2)).not.toContain('belfry-test_*');
    expect(invocable(61)).toContain(':function:belfry-test_*"');
    expect(invocable(61)).not.toContain('belfry-test_job-1"');
  });
});

describe('schedule group', () => {
  test('goes with the stack, so that its name is free for the next deployment', () => {
    const { stack } = schedulerApp();
    Template.fromStack(stack).hasResource('AWS::Scheduler::ScheduleGroup', { DeletionPolicy: 'Delete' });
  });

  test('of another stack has another name', () => {
    const { app, scheduler, root } = schedulerApp();
    const other = new JobScheduler(new Stack(app, 'Other'), 'Scheduler', { environment: 'test', root });
    expect(other.scheduleGroupName).not.toBe(scheduler.scheduleGroupName);
    expect(other.scheduleGroupName).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
  });
});

describe('dead-letter queue', () => {
  test('is encrypted and takes messages over TLS only', () => {
    const { stack } = schedulerApp();
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: {
        Statement: [Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
      },
    });
  });
});

describe('bundling', () => {
  test('takes one pass for all jobs of all schedulers of an app', () => {
    const { app, scheduler, root } = schedulerApp();
    for (const name of ['one', 'two', 'three']) {
      writeFileSync(join(root, `${name}.ts`), `export const handler = async () => '${name}';\n`);
    }
    const other = new JobScheduler(new Stack(app, 'Other'), 'Scheduler', {
      environment: 'other',
      root,
      now: SYNTH_TIME,
    });
    new ScheduledJob(scheduler, 'one', { ...UTC_DAILY, entry: 'one.ts' });
    new ScheduledJob(scheduler, 'two', { ...UTC_DAILY, entry: 'two.ts' });
    new ScheduledJob(other, 'three', { ...UTC_DAILY, entry: 'three.ts' });
    app.synth();
    expect(EntryBundle.of(app).passes).toBe(1);
  });

  test('keeps each job its own code', () => {
    const { stack, scheduler, root } = schedulerApp();
    writeFileSync(join(root, 'other.ts'), "export const handler = async () => 'other';\n");
    new ScheduledJob(scheduler, 'one', UTC_DAILY);
    new ScheduledJob(scheduler, 'two', { ...UTC_DAILY, entry: 'other.ts' });
    const functions = Template.fromStack(stack).findResources('AWS::Lambda::Function');
    expect(new Set(Object.values(functions).map(({ Properties }) => JSON.stringify(Properties.Code))).size).toBe(2);
  });
});

test('environment names are checked', () => {
  expect(() => schedulerApp({ environment: 'Prod EU' })).toThrow(
    expect.objectContaining({ code: 'IllegalEnvironmentName' }),
  );
});

test('a scheduler without jobs that say so has no warnings', () => {
  const { stack, scheduler } = schedulerApp();
  new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
  expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
});

describe('prefix', () => {
  const second = (scope: Stack, props: Partial<JobSchedulerProps>, id = 'Second') =>
    new JobScheduler(scope, id, { environment: 'test', ...props });

  test('is the stack’s name, and of a nested stack that of the stack which holds it', () => {
    const { app, scheduler } = schedulerApp();
    expect(scheduler.prefix).toBe('belfry-test');
    const nested = new NestedStack(new Stack(app, 'Outer'), 'Inner');
    expect(second(nested, {}).prefix).toBe('Outer');
  });

  test('of two schedulers in one stack must differ', () => {
    const { stack } = schedulerApp();
    expect(() => second(stack, {})).toThrow(
      expect.objectContaining({
        code: 'PrefixTaken',
        message: expect.stringMatching(/Jobs\/Scheduler and Jobs\/Second both .* two schedulers in one stack need two/),
      }),
    );
    expect(second(stack, { prefix: 'other' }, 'Third').prefix).toBe('other');
  });

  test('may be the same in another account or Region, and not where the app leaves both open', () => {
    const { app } = schedulerApp();
    const at = (id: string, env?: { account: string; region: string }) =>
      second(new Stack(app, id, env === undefined ? {} : { env }), { prefix: 'billing' });
    at('Here', { account: '111122223333', region: 'eu-west-1' });
    at('There', { account: '111122223333', region: 'us-east-1' });
    at('Anywhere');
    expect(() => at('Elsewhere')).toThrow(expect.objectContaining({ code: 'PrefixTaken' }));
  });

  test('of other characters is refused', () => {
    const { stack } = schedulerApp();
    expect(() => second(stack, { prefix: 'a_b' })).toThrow(expect.objectContaining({ code: 'IllegalPrefix' }));
  });
});
