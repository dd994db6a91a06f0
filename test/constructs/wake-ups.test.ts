import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { schedulerApp } from './scheduler-app.ts';

const DAILY = { schedule: '@daily', timeZone: 'UTC', entry: 'job.ts' };

function template(wakeUps: boolean): Template {
  const { stack, scheduler } = schedulerApp({ wakeUps, env: { account: '123456789012', region: 'eu-west-1' } });
  new ScheduledJob(scheduler, 'dunning', DAILY);
  return Template.fromStack(stack);
}

test('without wake-ups a function cannot create schedules', () => {
  expect(JSON.stringify(template(false).toJSON())).not.toMatch(/CreateSchedule|PassRole|BELFRY_WAKE_UP/);
});

test('with them it may create schedules in its group, named after it', () => {
  template(true).hasResourceProperties('AWS::IAM::Role', {
    Description: 'What belfry-test-dunning may do',
    Policies: [
      {
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({
              Action: 'scheduler:CreateSchedule',
              Resource: {
                'Fn::Join': [
                  '',
                  Match.arrayWith([
                    Match.stringLikeRegexp('^:scheduler:eu-west-1:123456789012:schedule/[^/*]+/dunning-\\*$'),
                  ]),
                ],
              },
            }),
            Match.objectLike({
              Action: 'iam:PassRole',
              Condition: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
            }),
          ]),
        },
      },
    ],
  });
});

test('and those schedules can invoke its own function only', () => {
  template(true).hasResourceProperties('AWS::IAM::Role', {
    Description: 'One-time schedules invoke belfry-test-dunning',
    Policies: [
      {
        PolicyDocument: {
          Statement: [
            {
              Action: 'lambda:InvokeFunction',
              Effect: 'Allow',
              Resource: {
                'Fn::Join': [
                  '',
                  ['arn:', { Ref: 'AWS::Partition' }, ':lambda:eu-west-1:123456789012:function:belfry-test-dunning'],
                ],
              },
            },
          ],
        },
      },
    ],
  });
});
