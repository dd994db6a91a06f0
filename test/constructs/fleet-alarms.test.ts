import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { AlertTopics } from '../../lib/constructs/alert-topics.ts';
import { FleetAlarms } from '../../lib/constructs/fleet-alarms.ts';
import { JobAlarms } from '../../lib/constructs/job-alarms.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { Watchdog } from '../../lib/constructs/watchdog.ts';
import { schedulerApp } from './scheduler-app.ts';

const UTC_DAILY = { schedule: '0 8 * * *', timeZone: 'UTC', entry: 'job.ts' };

function alarmed(): Template {
  const { app, scheduler } = schedulerApp();
  new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, failedAlarm: true });
  const watch = new Stack(app, 'Watch');
  new FleetAlarms(watch, 'Alarms', { scheduler });
  new ScheduledJob(scheduler, 'cleanup', UTC_DAILY);
  new ScheduledJob(scheduler, 'report', { ...UTC_DAILY, failedAlarm: true });
  return Template.fromStack(watch);
}

/** The set, property by property: what is not here must not be in the template. */
/** A role that has just been made may be refused: what came before the end of the warm-up is out of sight then. */
const SCHEDULER_ALARM = {
  Namespace: 'AWS/Scheduler',
  Period: 300,
  WarmUpConfiguration: { WarmUpPeriodDurationInMinutes: 30, OnlyStartEvaluatingAfterWarmUpPeriodEnds: true },
};
const FLEET: readonly (readonly [string, string, string, Record<string, unknown>])[] = [
  [
    'WatchdogSilent',
    'Page',
    'WatchdogHeartbeat',
    {
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 1,
      TreatMissingData: 'breaching',
      WarmUpConfiguration: { WarmUpPeriodDurationInMinutes: 15 },
    },
  ],
  ['Untold', 'Page', 'Untold', { EvaluationPeriods: 5, DatapointsToAlarm: 2 }],
  ['WatchdogFailing', 'Ticket', 'SweepFailures', { EvaluationPeriods: 5, DatapointsToAlarm: 3 }],
  [
    'FailureRate',
    'Ticket',
    'Failed',
    {
      Statistic: 'Average',
      Period: 86_400,
      EvaluationPeriods: 1,
      Threshold: 0.1,
      ComparisonOperator: 'GreaterThanThreshold',
    },
  ],
  ['DeadLetters', 'Ticket', 'NumberOfMessagesSent', { Namespace: 'AWS/SQS', Period: 300, EvaluationPeriods: 4 }],
  ['Dropped', 'Ticket', 'InvocationDroppedCount', SCHEDULER_ALARM],
  ['TargetErrors', 'Ticket', 'TargetErrorCount', SCHEDULER_ALARM],
];

const USUAL = {
  Namespace: 'Belfry',
  Statistic: 'Sum',
  Period: 60,
  Threshold: 1,
  ComparisonOperator: 'GreaterThanOrEqualToThreshold',
  EvaluationPeriods: 3,
  DatapointsToAlarm: 1,
  TreatMissingData: 'notBreaching',
};

describe('alarms of the environment', () => {
  test.each(FLEET)('%s: %s', (id, topic, metric, overrides) => {
    const sent = [{ Ref: Match.stringLikeRegexp(topic) }];
    const properties = { AlarmName: `belfry-test-${id}`, MetricName: metric, ...USUAL, ...overrides };
    alarmed().hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...properties,
      AlarmActions: sent,
      OKActions: Match.absent(),
      InsufficientDataActions: Match.absent(),
      ...('WarmUpConfiguration' in overrides ? {} : { WarmUpConfiguration: Match.absent() }),
    });
  });

  test('silence is watched for from after the watchdog begins to before it ends, whichever is declared first', () => {
    for (const isFirst of [true, false]) {
      const { app, scheduler } = schedulerApp();
      const watch = new Stack(app, 'Watch');
      if (isFirst) new FleetAlarms(watch, 'Alarms', { scheduler });
      new Watchdog(watch, 'Watchdog', { scheduler });
      if (!isFirst) new FleetAlarms(watch, 'Alarms', { scheduler });
      const template = Template.fromStack(watch);
      const [silent] = Object.values(
        template.findResources('AWS::CloudWatch::Alarm', { Properties: { MetricName: 'WatchdogHeartbeat' } }),
      );
      expect(silent?.DependsOn).toEqual(Object.keys(template.findResources('AWS::Scheduler::Schedule')));
    }
  });

  test('no others, and those of Belfry are of the environment', () => {
    const alarms = Object.values(alarmed().findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
    const ofJobs = alarms.filter(({ Dimensions }) =>
      (Dimensions ?? []).some((one: { Name: string }) => one.Name === 'Job'),
    );
    expect(alarms.length - ofJobs.length).toBe(FLEET.length);
    for (const { Namespace, Dimensions } of alarms.filter((one) => !ofJobs.includes(one))) {
      if (Namespace === 'Belfry') expect(Dimensions).toEqual([{ Name: 'Scheduler', Value: 'belfry-test' }]);
    }
  });

  test("each keeps to CloudWatch's limits", () => {
    for (const { Properties } of Object.values(alarmed().findResources('AWS::CloudWatch::Alarm'))) {
      const { Period, EvaluationPeriods, AlarmActions, AlarmName, AlarmDescription, TreatMissingData } = Properties;
      expect(Period * EvaluationPeriods).toBeLessThanOrEqual(Period < 3_600 ? 86_400 : 604_800);
      expect(AlarmActions.length).toBeLessThanOrEqual(5);
      expect(AlarmName.length).toBeLessThanOrEqual(255);
      expect(AlarmDescription.length).toBeLessThanOrEqual(1_024);
      // Left out it is `missing`, and an alarm without data would never ring nor calm down.
      expect(['breaching', 'notBreaching']).toContain(TreatMissingData);
      expect(Properties).not.toHaveProperty('Metrics');
    }
  });

  test('each says which command to begin with', () => {
    const alarms = Object.values(alarmed().findResources('AWS::CloudWatch::Alarm'));
    expect(alarms.length).toBeGreaterThan(5);
    for (const { Properties } of alarms) {
      expect(Properties.AlarmDescription).toMatch(
        /Severity: (page|ticket|warn)\. Runbook: belfry \S.* --environment test$/,
      );
    }
  });
});

test('a job that somebody answers for has alarms of its own, of the kinds and severities asked for', () => {
  const { app, scheduler } = schedulerApp();
  const watch = new Stack(app, 'Watch');
  new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
  new JobAlarms(watch, 'Dunning', {
    scheduler,
    job: 'dunning',
    kinds: ['failed', 'overdue'],
    severities: { failed: 'page' },
  });
  const template = Template.fromStack(watch);
  template.resourceCountIs('AWS::CloudWatch::Alarm', 2);
  const of = [
    { Name: 'Job', Value: 'dunning' },
    { Name: 'Scheduler', Value: 'belfry-test' },
  ];
  for (const MetricName of ['Failed', 'Overdue']) {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...USUAL,
      MetricName,
      Dimensions: of,
      AlarmActions: [{ Ref: Match.stringLikeRegexp('Page') }],
    });
  }
});

test('a job has an alarm of its own when it asks for one, declared before or after', () => {
  const jobs = Object.values(alarmed().findResources('AWS::CloudWatch::Alarm'))
    .flatMap(({ Properties }) => Properties.Dimensions ?? [])
    .filter(({ Name }) => Name === 'Job')
    .map(({ Value }) => Value);
  expect(jobs).toEqual(['dunning', 'report']);
});

describe('topics', () => {
  test('refuse plain text and still take what alarms publish', () => {
    const template = alarmed();
    template.resourceCountIs('AWS::SNS::Topic', 3);
    const policies = Object.values(template.findResources('AWS::SNS::TopicPolicy'));
    expect(policies).toHaveLength(3);
    for (const { Properties } of policies) {
      expect(Properties.PolicyDocument.Statement).toMatchObject([
        { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
        { Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' }, Action: 'sns:Publish' },
      ]);
    }
  });

  test('are encrypted with a key that alarms may use', () => {
    const template = alarmed();
    template.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: Match.anyValue() });
    template.hasResourceProperties('AWS::KMS::Key', {
      EnableKeyRotation: true,
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
          }),
        ]),
      },
    });
    const plain = new Stack();
    new AlertTopics(plain, 'Topics', { encrypted: false });
    Template.fromStack(plain).resourceCountIs('AWS::KMS::Key', 0);
  });

  test('send to addresses and to URLs', () => {
    const stack = new Stack();
    new AlertTopics(stack, 'Topics', {
      subscriptions: { page: ['https://pager.example/in'], warn: ['team@belfry.example'] },
    });
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'https',
      Endpoint: 'https://pager.example/in',
    });
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'team@belfry.example' });
    Annotations.fromStack(stack).hasNoInfo('*', Match.stringLikeRegexp('nobody subscribes'));
  });

  test('that nobody subscribes to is noted', () => {
    const stack = new Stack();
    new AlertTopics(stack, 'Topics');
    Annotations.fromStack(stack).hasInfo(
      '/Default/Topics',
      Match.stringLikeRegexp('nobody subscribes to these topics'),
    );
  });
});

test('more alarms than the environment allows are an error', () => {
  const { app, scheduler } = schedulerApp();
  new FleetAlarms(new Stack(app, 'Watch'), 'Alarms', { scheduler, maxAlarms: FLEET.length + 1 });
  new ScheduledJob(scheduler, 'first', { ...UTC_DAILY, failedAlarm: true });
  expect(() => new ScheduledJob(scheduler, 'second', { ...UTC_DAILY, failedAlarm: true })).toThrow(
    expect.objectContaining({
      code: 'TooManyAlarms',
      message: expect.stringContaining("alarm 'Failed-second' of environment 'test' is number 9, allowed are 8"),
    }),
  );
});

test('alarms of single jobs count among those of the environment', () => {
  const { app, scheduler } = schedulerApp();
  const watch = new Stack(app, 'Watch');
  new FleetAlarms(watch, 'Alarms', { scheduler, maxAlarms: FLEET.length + 2 });
  new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
  expect(() => new JobAlarms(watch, 'Dunning', { scheduler, job: 'dunning' })).toThrow(
    expect.objectContaining({ code: 'TooManyAlarms', message: expect.stringContaining("'dunning-Overdue'") }),
  );
});

test('alarms for a job that is not declared are an error: they would never ring', () => {
  const { app, scheduler } = schedulerApp();
  new ScheduledJob(scheduler, 'dunning', UTC_DAILY);
  new JobAlarms(new Stack(app, 'Watch'), 'Dunning', { scheduler, job: 'duning' });
  expect(() => app.synth()).toThrow(
    /AlarmOfNoJob: alarms for job 'duning', which is not declared.*declared are dunning/,
  );
});
