import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Duration } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { parseSchedule } from '../../lib/domain/schedule/parse-schedule.ts';
import { jobSchedules, SYNTH_TIME, schedulerApp } from './scheduler-app.ts';

const UTC_DAILY = { schedule: '0 8 * * *', timeZone: 'UTC', entry: 'job.ts' };

interface Policy {
  readonly PolicyName: string;
  readonly PolicyDocument: { readonly Statement: readonly Record<string, unknown>[] };
}

function resources(template: Template, type: string): Record<string, unknown>[] {
  return Object.values(template.findResources(type)).map((resource) => resource.Properties as Record<string, unknown>);
}

function schedules(template: Template): Record<string, unknown>[] {
  return Object.values(jobSchedules(template)).map(({ Properties }) => Properties);
}

describe('schedule', () => {
  test('fires in the zone of the job', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, schedule: '0 8 * * 1-5', timeZone: 'America/New_York' });

    const [schedule] = schedules(Template.fromStack(stack));
    expect(schedule).toMatchObject({
      Name: 'belfry-test_dunning',
      ScheduleExpressionTimezone: 'America/New_York',
      State: 'ENABLED',
      FlexibleTimeWindow: { Mode: 'OFF' },
    });
    expect(schedule?.ScheduleExpression).toMatch(/^cron\(0 8 \? \* \S+ \*\)$/);
  });

  test('hands over the job, its revision, and the scheduled time for EventBridge to fill in', () => {
    const { stack, scheduler } = schedulerApp();
    const job = new ScheduledJob(scheduler, 'dunning', UTC_DAILY);

    Template.fromStack(stack).hasResourceProperties('AWS::Scheduler::Schedule', {
      Target: {
        Input: Match.serializedJson({
          job: 'dunning',
          scheduledTime: '<aws.scheduler.scheduled-time>',
          revision: job.definition.revision,
        }),
      },
    });
  });

  test('waits for its group, which it only names', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', UTC_DAILY);

    const template = Template.fromStack(stack);
    const [group] = Object.keys(template.findResources('AWS::Scheduler::ScheduleGroup'));
    template.hasResource('AWS::Scheduler::Schedule', {
      DependsOn: Match.arrayWith([group]),
      Properties: { GroupName: scheduler.scheduleGroupName },
    });
  });

  test('of a disabled job exists and does not fire', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, enabled: false });
    Template.fromStack(stack).hasResourceProperties('AWS::Scheduler::Schedule', { State: 'DISABLED' });
  });

  test('of an interval that does not divide the day is the same whenever it is synthesised', () => {
    const synthesised = (minutesLater: number) => {
      const { stack, scheduler } = schedulerApp({ now: new Date(SYNTH_TIME.getTime() + minutesLater * 60_000) });
      new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, schedule: ['@every 5h', '30 8 * * *'] });
      Annotations.fromStack(stack).hasInfo('*', Match.stringLikeRegexp('the function refuses 584 events a month'));
      return Template.fromStack(stack).toJSON();
    };
    const earlier = synthesised(0);
    expect(synthesised(100)).toEqual(earlier);
    const [daily, interval] = Object.values<{ Properties: Record<string, { Input: string }> }>(earlier.Resources)
      .map(({ Properties }) => Properties)
      .filter((properties) => String(properties.ScheduleExpression).startsWith('cron'));
    expect(interval).toMatchObject({ ScheduleExpression: 'cron(0 * * * ? *)', ScheduleExpressionTimezone: 'UTC' });
    expect(interval).not.toHaveProperty('StartDate');
    expect(JSON.parse(interval?.Target?.Input ?? '')).toMatchObject({ job: 'dunning', everyMs: 5 * 3_600_000 });
    expect(JSON.parse(daily?.Target?.Input ?? '')).not.toHaveProperty('everyMs');
  });

  test('of one instant is that instant on the clock of its zone', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', {
      ...UTC_DAILY,
      schedule: 'at(2026-12-01T10:00:00)',
      timeZone: 'Europe/Helsinki',
    });
    Template.fromStack(stack).hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'at(2026-12-01T10:00:00)',
      ScheduleExpressionTimezone: 'Europe/Helsinki',
    });
    expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
  });

  test.each<[string, string | string[], string[]]>([
    ['passed', 'at(2026-11-28T23:59:00)', []],
    ['passed in its zone', 'at(2026-11-29T01:00:00)', []],
    ['passed, in a list', ['at(2026-11-28T10:00:00)', '0 8 * * *'], ['cron(0 8 * * ? *)']],
    ['passed and to come', ['at(2026-11-28T10:00:00)', 'at(2026-12-01T10:00:00)'], ['at(2026-12-01T10:00:00)']],
    ['of years that are over', ['cron(0 8 1 1 ? 2020-2026)', 'cron(0 8 1 1 ? 2027)'], ['cron(0 8 1 1 ? 2027)']],
    ['too near to be created in time', ['at(2026-11-29T02:14:00)', '@daily'], ['cron(0 0 * * ? *)']],
    ['far enough away', 'at(2026-11-29T02:15:00)', ['at(2026-11-29T02:15:00)']],
  ])('is not made where AWS would refuse it: a time that has %s', (_, schedule, made) => {
    for (const enabled of [true, false]) {
      const { stack, scheduler } = schedulerApp();
      const job = { ...UTC_DAILY, schedule, timeZone: 'Europe/Helsinki', enabled };
      new ScheduledJob(scheduler, 'dunning', job);
      const template = Template.fromStack(stack);
      expect(schedules(template).map(({ ScheduleExpression }) => ScheduleExpression)).toEqual(made);
      template.resourceCountIs('AWS::Lambda::Function', 1);
      const listed = scheduler.manifest.awsSchedules?.dunning?.map(({ expression }) => expression);
      expect(listed).toEqual(made);
    }
  });

  test('that EventBridge cannot say in one expression becomes several, with names of their own', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, schedule: ['0 8 * * *', '30 17 1 * *'] });

    const names = schedules(Template.fromStack(stack)).map(({ Name }) => Name);
    expect(names).toEqual(['belfry-test_dunning', 'belfry-test_dunning.2']);
  });
});

describe('function', () => {
  test('runs on the newest Node on Graviton, with the timeout of the job', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, timeout: Duration.minutes(2) });

    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'belfry-test_dunning',
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Timeout: 120,
    });
  });

  test('knows its own definition', () => {
    const { stack, scheduler } = schedulerApp();
    const job = new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, retry: { maxAttempts: 5 } });

    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          BELFRY_ENVIRONMENT: 'test',
          BELFRY_SCHEDULER: 'belfry-test',
          BELFRY_JOB: JSON.stringify(job.definition),
        },
      },
    });
    expect(job.definition).toMatchObject({ name: 'dunning', timeoutMs: 300_000, retry: { maxAttempts: 5 } });
  });

  test('keeps its records longer where it is due rarely', () => {
    const { scheduler } = schedulerApp();
    const yearly = new ScheduledJob(scheduler, 'accounts', { ...UTC_DAILY, schedule: '@yearly' });
    expect(yearly.definition.retentionMs).toBe(739 * 86_400_000);
    expect(new ScheduledJob(scheduler, 'dunning', UTC_DAILY).definition).not.toHaveProperty('retentionMs');
  });

  test('hands what Lambda gives up on to the dead-letter queue', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
    const template = Template.fromStack(stack);
    const [queue] = Object.keys(template.findResources('AWS::SQS::Queue'));
    template.hasResourceProperties('AWS::Lambda::Function', {
      DeadLetterConfig: { TargetArn: { 'Fn::GetAtt': [queue, 'Arn'] } },
    });
  });

  test('costs three resources a job', () => {
    const one = schedulerApp();
    new ScheduledJob(one.scheduler, 'job-1', UTC_DAILY);
    const two = schedulerApp();
    new ScheduledJob(two.scheduler, 'job-1', UTC_DAILY);
    new ScheduledJob(two.scheduler, 'job-2', UTC_DAILY);

    const count = (template: Template) => Object.keys(template.toJSON().Resources as object).length;
    expect(count(Template.fromStack(two.stack)) - count(Template.fromStack(one.stack))).toBe(3);
  });
});

describe('role', () => {
  function statementsOfJobRole(template: Template, job: string): readonly Record<string, unknown>[] {
    const role = resources(template, 'AWS::IAM::Role').find(
      ({ Description }) => Description === `What belfry-test_${job} may do`,
    );
    return ((role?.Policies ?? []) as Policy[]).flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  }

  test('reaches the run records of its own job only, and no request without a key', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', UTC_DAILY);

    const runs = statementsOfJobRole(Template.fromStack(stack), 'dunning').filter(({ Action }) =>
      String(Action).includes('dynamodb:'),
    );
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      Effect: 'Allow',
      Condition: {
        'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['J#dunning'] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    });
    expect(runs[0]?.Action).not.toContain('dynamodb:Scan');
  });

  test('writes to its own log streams only', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
    const logs = statementsOfJobRole(Template.fromStack(stack), 'dunning').find(({ Sid }) => Sid === 'OwnLogStreams');
    expect(JSON.stringify(logs?.Resource)).toContain(':log-stream:*/belfry-test_dunning[*');
  });

  test('receives what is granted to the job', () => {
    const { stack, scheduler } = schedulerApp();
    const job = new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
    const table = new TableV2(stack, 'Invoices', { partitionKey: { name: 'id', type: AttributeType.STRING } });
    table.grant(job, 'dynamodb:Query');

    Template.fromStack(stack).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: [Match.objectLike({ Action: 'dynamodb:Query' })] },
      Roles: [{ Ref: Match.stringLikeRegexp('dunningRole') }],
    });
  });
});

describe('bundle', () => {
  test('is one module, with the files that the job asked for beside it', () => {
    const { app, scheduler, root, stack } = schedulerApp();
    writeFileSync(join(root, 'prices.csv'), 'item,price\n');
    new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, files: ['prices.csv'] });

    const assembly = app.synth();
    const [fn = {}] = resources(Template.fromStack(stack), 'AWS::Lambda::Function');
    const { S3Key: key } = fn.Code as { S3Key: string };
    const folder = join(assembly.directory, `asset.${key.replace('.zip', '')}`);
    expect(readFileSync(join(folder, 'index.mjs'), 'utf8')).toContain('as handler');
    expect(readFileSync(join(folder, 'prices.csv'), 'utf8')).toBe('item,price\n');
  });

  test('of the same file is the same asset', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'job-1', UTC_DAILY);
    new ScheduledJob(scheduler, 'job-2', UTC_DAILY);
    const keys = resources(Template.fromStack(stack), 'AWS::Lambda::Function').map(({ Code }) => JSON.stringify(Code));
    expect(new Set(keys).size).toBe(1);
  });
});

describe('what is wrong with a job is said at synth', () => {
  const cases: [string, Record<string, unknown>, string, RegExp][] = [
    ['an unknown zone', { timeZone: 'Mars/Phobos' }, 'dunning', /job 'dunning': .*Mars\/Phobos/],
    ['a bad expression', { schedule: '61 8 * * *' }, 'dunning', /job 'dunning': .*61/],
    ['an absent handler', { entry: 'gone.ts' }, 'dunning', /job 'dunning': entry 'gone\.ts' does not exist/],
    [
      'a folder for a handler',
      { entry: '.' },
      'dunning',
      /job 'dunning': entry '\.' is a folder \(.*\): name the file in it/,
    ],
    ['an absent file', { files: ['gone.csv'] }, 'dunning', /job 'dunning': files 'gone\.csv' does not exist/],
    ['an illegal name', {}, 'Dunning Job', /job name 'Dunning Job' is not allowed/],
  ];
  test.each(cases)('%s', (_, props, name, message) => {
    const { scheduler } = schedulerApp();
    expect(() => new ScheduledJob(scheduler, name, { ...UTC_DAILY, ...props })).toThrow(message);
  });

  test('a name that is taken', () => {
    const { scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
    expect(() => new ScheduledJob(scheduler, 'dunning', UTC_DAILY)).toThrow(
      expect.objectContaining({ code: 'DuplicateJob' }),
    );
  });
});

describe('a clock change that meets the job is a note', () => {
  test('a wall time that does not exist', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, schedule: '30 2 * * *', timeZone: 'America/New_York' });
    Annotations.fromStack(stack).hasInfo('*', Match.stringLikeRegexp("does not exist on 2027-03-14 \\(gap: 'skip'\\)"));
  });

  test('a wall time that happens twice', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, schedule: '30 1 * * *', timeZone: 'America/New_York' });
    Annotations.fromStack(stack).hasInfo('*', Match.stringLikeRegexp("twice on 2027-11-07 \\(fold: 'first'\\)"));
  });

  test('an interval keeps its pace through the hour that happens twice', () => {
    const { stack, scheduler } = schedulerApp();
    const everyFourHours = { ...UTC_DAILY, schedule: '0 */4 * * *', timeZone: 'Australia/Lord_Howe' };
    const job = new ScheduledJob(scheduler, 'rollup', everyFourHours);
    expect(job.definition.dst).toEqual({ gap: 'skip' });
    const hourly = new ScheduledJob(scheduler, 'report', {
      ...UTC_DAILY,
      schedule: '@hourly',
      timeZone: 'Europe/London',
    });
    const { schedule, timeZone, dst } = hourly.definition;
    const [from, to] = [Date.parse('2026-10-24T23:30:00Z'), Date.parse('2026-10-25T02:30:00Z')];
    expect([...parseSchedule(schedule, { timeZone, dst }).between(from, to)]).toHaveLength(3);
    Template.fromStack(stack).hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'cron(0 * * * ? *)',
      ScheduleExpressionTimezone: 'UTC',
    });
  });

  test('in none of the zone’s transitions, no note', () => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, timeZone: 'America/New_York' });
    expect(Annotations.fromStack(stack).findInfo('*', Match.anyValue())).toEqual([]);
  });
});
