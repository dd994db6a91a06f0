import { Match, Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { AlertTopics } from '../../lib/constructs/alert-topics.ts';
import { JobAlarms } from '../../lib/constructs/job-alarms.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { schedulerApp } from './scheduler-app.ts';

const UTC_DAILY = { schedule: '0 8 * * *', timeZone: 'UTC', entry: 'job.ts' };

function alarmed(): Template {
  const { app, scheduler } = schedulerApp();
  new ScheduledJob(scheduler, 'dunning', { ...UTC_DAILY, failedAlarm: true });
  const watch = new Stack(app, 'Watch');
  new JobAlarms(watch, 'Alarms', { scheduler });
  new ScheduledJob(scheduler, 'cleanup', UTC_DAILY);
  new ScheduledJob(scheduler, 'report', { ...UTC_DAILY, failedAlarm: true });
  return Template.fromStack(watch);
}

describe('alarms of the environment', () => {
  test('a missed occurrence warns', () => {
    alarmed().hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'Belfry',
      MetricName: 'Missed',
      Dimensions: [{ Name: 'Environment', Value: 'test' }],
      Statistic: 'Sum',
      Period: 60,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
      AlarmActions: [{ Ref: Match.stringLikeRegexp('Warn') }],
    });
  });

  test('a watchdog that says nothing for three minutes pages', () => {
    alarmed().hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'WatchdogHeartbeat',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 3,
      TreatMissingData: 'breaching',
      AlarmActions: [{ Ref: Match.stringLikeRegexp('Page') }],
    });
  });

  test.each(['Failed', 'TimedOut'])('%s asks for a look this week', (metric) => {
    alarmed().hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: metric,
      Dimensions: [{ Name: 'Environment', Value: 'test' }],
      AlarmActions: [{ Ref: Match.stringLikeRegexp('Ticket') }],
    });
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
  });
});

test('more alarms than the environment allows are an error', () => {
  const { app, scheduler } = schedulerApp();
  new JobAlarms(new Stack(app, 'Watch'), 'Alarms', { scheduler, maxAlarms: 8 });
  new ScheduledJob(scheduler, 'first', { ...UTC_DAILY, failedAlarm: true });
  expect(() => new ScheduledJob(scheduler, 'second', { ...UTC_DAILY, failedAlarm: true })).toThrow(
    expect.objectContaining({
      code: 'TooManyAlarms',
      message: expect.stringContaining("alarm 'Failed-second' of environment 'test' is number 9, allowed are 8"),
    }),
  );
});
