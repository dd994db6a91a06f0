import { Match, Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { test } from 'vitest';
import { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import { LifecycleEvents } from '../../lib/constructs/lifecycle-events.ts';
import { RunTable } from '../../lib/constructs/run-table.ts';
import { schedulerApp } from './scheduler-app.ts';

function told(): Template {
  const { app, root } = schedulerApp();
  const stack = new Stack(app, 'Told');
  const table = new RunTable(stack, 'Table');
  const scheduler = new JobScheduler(stack, 'Scheduler', { environment: 'test', root, table });
  new LifecycleEvents(stack, 'Lifecycle', { scheduler });
  return Template.fromStack(stack);
}

test('changes of runs come from the stream, in order, and what fails comes again', () => {
  const template = told();
  template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    StartingPosition: 'TRIM_HORIZON',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    BisectBatchOnFunctionError: true,
    DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
    FilterCriteria: { Filters: [{ Pattern: Match.stringLikeRegexp('"prefix":"R#"') }] },
  });
  template.hasResourceProperties('AWS::Events::EventBus', { Name: 'Told-runs' });
});

test('what tells may read the stream and write to the bus', () => {
  told().hasResourceProperties('AWS::IAM::Role', {
    Description: 'What tells of the runs of test',
    Policies: [
      {
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({
              Sid: 'Stream',
              Action: [
                'dynamodb:DescribeStream',
                'dynamodb:GetRecords',
                'dynamodb:GetShardIterator',
                'dynamodb:ListStreams',
              ],
              Resource: { 'Fn::Join': ['', [{ 'Fn::GetAtt': [Match.anyValue(), 'Arn'] }, '/stream/*']] },
            }),
            Match.objectLike({ Sid: 'Bus', Action: 'events:PutEvents' }),
          ]),
        },
      },
    ],
  });
});
