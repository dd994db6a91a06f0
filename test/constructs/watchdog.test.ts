import { Match, Template } from 'aws-cdk-lib/assertions';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import { FleetAlarms } from '../../lib/constructs/fleet-alarms.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { Watchdog } from '../../lib/constructs/watchdog.ts';
import { quietTimes } from '../../lib/domain/watch/maintenance-window.ts';
import { readManifestInput } from '../support/manifest-input.ts';
import { jobSchedules, schedulerApp } from './scheduler-app.ts';

const UTC_DAILY = { schedule: '0 8 * * *', timeZone: 'UTC', entry: 'job.ts' };

function watched() {
  const created = schedulerApp({ env: { account: '123456789012', region: 'eu-west-1' } });
  const watch = new Stack(created.app, 'Watch', { env: { account: '123456789012', region: 'eu-west-1' } });
  new Watchdog(watch, 'Watchdog', { scheduler: created.scheduler });
  // Declared after the watchdog: it must know them all the same.
  new ScheduledJob(created.scheduler, 'dunning', UTC_DAILY);
  new ScheduledJob(created.scheduler, 'cleanup', UTC_DAILY);
  return { ...created, watch };
}

test('sweeps every minute', () => {
  Template.fromStack(watched().watch).hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'cron(* * * * ? *)',
    ScheduleExpressionTimezone: 'UTC',
    Target: { Input: Match.serializedJson({ watchdog: true, scheduledTime: '<aws.scheduler.scheduled-time>' }) },
  });
});

test('is told of all jobs by a schedule beside theirs, which never fires and may do nothing', () => {
  const { app, stack, scheduler } = watched();
  app.synth();
  const template = Template.fromStack(stack);
  const [manifest] = Object.values(
    template.findResources('AWS::Scheduler::Schedule', { Properties: { Name: 'belfry-test.manifest' } }),
  );
  const { jobs, functions, awsSchedules } = scheduler.manifest;
  const said = readManifestInput(manifest?.Properties.Target.Input);
  expect(said).toEqual(JSON.parse(JSON.stringify({ version: 1, jobs, functions, awsSchedules })));
  expect(manifest?.Properties).toMatchObject({ State: 'DISABLED', GroupName: scheduler.scheduleGroupName });
  // Known only once their schedules are there.
  expect(manifest?.DependsOn).toEqual(expect.arrayContaining(Object.keys(jobSchedules(template))));
  const role = template.findResources('AWS::IAM::Role')[manifest?.Properties.Target.RoleArn['Fn::GetAtt'][0]];
  expect(role?.Properties).not.toHaveProperty('Policies');
  expect(role?.Properties).not.toHaveProperty('ManagedPolicyArns');
  expect(scheduler.manifest.jobs.map(({ name }) => name)).toEqual(['dunning', 'cleanup']);
  expect(scheduler.manifest.functions).toEqual({ dunning: 'belfry-test_dunning', cleanup: 'belfry-test_cleanup' });
});

test('may invoke the jobs and nothing else, also those that are deployed after it', () => {
  const roles = Template.fromStack(watched().watch).findResources('AWS::IAM::Role', {
    Properties: { Description: Match.stringLikeRegexp('What the watchdog of test may do') },
  });
  const named = JSON.stringify(roles).match(/:function:[^"]+/g) ?? [];
  expect([...new Set(named)]).toEqual([':function:belfry-test_*']);
});

test('is fired only once all that tells of jobs is there: its silence would page', () => {
  const env = { account: '123456789012', region: 'eu-west-1' };
  const { app, stack, scheduler } = schedulerApp({ env, stacks: 2 });
  const watch = new Stack(app, 'Watch', { env });
  new Watchdog(watch, 'Watchdog', { scheduler });
  app.synth();
  const names = watch.dependencies.map(({ stackName }) => stackName);
  expect(names).toEqual(expect.arrayContaining([stack.stackName, `${stack.stackName}-00`, `${stack.stackName}-01`]));
});

test.each([1, 2])('may be in the stack of the scheduler, whose jobs are in %i', (stacks) => {
  const { app, stack, scheduler } = schedulerApp({ stacks });
  new Watchdog(stack, 'Watchdog', { scheduler });
  app.synth();
  const schedules = Template.fromStack(stack).findResources('AWS::Scheduler::Schedule');
  const named = (name: string) => Object.entries(schedules).find(([, { Properties }]) => Properties.Name === name);
  const [manifest] = named('belfry-test.manifest') ?? [];
  const fired = named('belfry-test.watchdog')?.[1].DependsOn;
  expect(fired).toHaveLength(stacks === 1 ? 2 : 1);
  if (manifest !== undefined) expect(fired).toContain(manifest);
});

test('deletes in its own partition only', () => {
  const roles = Template.fromStack(watched().watch).findResources('AWS::IAM::Role', {
    Properties: { Description: Match.stringLikeRegexp('What the watchdog of test may do') },
  });
  const statements = Object.values(roles)[0]?.Properties.Policies[0].PolicyDocument.Statement as {
    Action: string[];
    Condition?: object;
  }[];
  const listing = statements.filter(({ Action }) => [Action].flat().some((one) => /Delete/.test(one)));
  expect(listing.map(({ Condition }) => Condition)).toEqual([
    {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['W#watchdog'] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  ]);
});

test('a hundred jobs fit: nothing in its environment variables grows with them', () => {
  const { scheduler, watch } = watched();
  for (let index = 0; index < 100; index++) new ScheduledJob(scheduler, `job-${index}`, UTC_DAILY);
  const functions = Template.fromStack(watch).findResources('AWS::Lambda::Function');
  const variables = Object.values(functions).map(
    ({ Properties }) => JSON.stringify(Properties.Environment ?? {}).length,
  );
  expect(Math.max(...variables)).toBeLessThan(1_000);
});

test('needs no exports for the jobs it watches, so that jobs can go', () => {
  const { app, stack, watch } = watched();
  app.synth();
  const imports = JSON.stringify(Template.fromStack(watch).toJSON()).match(/Fn::ImportValue":"[^"]+/g) ?? [];
  expect(imports.filter((text) => !/RunTable|DeadLetters/.test(text))).toEqual([]);
  const outputs = Object.keys((Template.fromStack(stack).toJSON().Outputs as object | undefined) ?? {});
  expect(outputs.filter((name) => /dunning|cleanup/.test(name))).toEqual([]);
});

test('tells people by severity, and may do so; alarms go to the same topics, whichever is declared first', () => {
  for (const isWatchdogFirst of [true, false]) {
    const { app, scheduler } = schedulerApp();
    const watch = new Stack(app, 'Watch');
    const declare = [
      () => new Watchdog(watch, 'Watchdog', { scheduler, remindEvery: Duration.hours(4) }),
      () => new FleetAlarms(watch, 'Alarms', { scheduler }),
    ];
    for (const one of isWatchdogFirst ? declare : declare.reverse()) one();
    const template = Template.fromStack(watch);
    template.resourceCountIs('AWS::SNS::Topic', 3);
    const [variables] = Object.values(template.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.Environment.Variables,
    );
    expect(variables.BELFRY_REMIND_MS).toBe('14400000');
    const told = JSON.stringify(variables.BELFRY_TOPICS);
    for (const topic of Object.keys(template.findResources('AWS::SNS::Topic'))) expect(told).toContain(topic);
    template.hasResourceProperties('AWS::IAM::Role', {
      Policies: [
        {
          PolicyDocument: {
            Statement: Match.arrayWith([
              Match.objectLike({ Sid: 'Notifications', Action: 'sns:Publish' }),
              Match.objectLike({ Sid: 'KeyOfTopics', Action: ['kms:Decrypt', 'kms:GenerateDataKey'] }),
            ]),
          },
        },
      ],
    });
  }
});

test('is not tried again by Lambda, and has capacity of its own only when it is asked for', () => {
  const { watch } = watched();
  const template = Template.fromStack(watch);
  template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  });
  template.hasResourceProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: Match.absent() });
  const { app, scheduler } = schedulerApp();
  const reserved = new Stack(app, 'Watch');
  new Watchdog(reserved, 'Watchdog', { scheduler, reservedConcurrency: 1 });
  Template.fromStack(reserved).hasResourceProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: 1 });
});

test('knows when work is done on purpose', () => {
  const { app, scheduler } = schedulerApp();
  const watch = new Stack(app, 'Watch');
  const window = { begins: '0 2 * * 0', timeZone: 'Europe/Berlin', lasts: Duration.minutes(90) };
  new Watchdog(watch, 'Watchdog', { scheduler, maintenance: [window] });
  const [variables] = Object.values(Template.fromStack(watch).findResources('AWS::Lambda::Function')).map(
    ({ Properties }) => Properties.Environment.Variables,
  );
  const isQuiet = quietTimes(JSON.parse(variables.BELFRY_MAINTENANCE));
  expect(
    ['2026-06-06T23:59:59Z', '2026-06-07T00:00:00Z', '2026-06-07T01:29:59Z', '2026-06-07T01:30:00Z'].map((at) =>
      isQuiet(Date.parse(at)),
    ),
  ).toEqual([false, true, true, false]);
});
