import { Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { expect, test } from 'vitest';
import { AlertTopics } from '../../lib/constructs/alert-topics.ts';
import { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { schedulerApp } from './scheduler-app.ts';

function encrypted(): Template {
  // A table with a customer key needs to know its region.
  const { stack, root } = schedulerApp({ env: { account: '123456789012', region: 'eu-west-1' } });
  const encryptionKey = new Key(stack, 'Key');
  const scheduler = new JobScheduler(stack, 'Encrypted', {
    environment: 'test',
    prefix: 'encrypted',
    root,
    encryptionKey,
  });
  new ScheduledJob(scheduler, 'dunning', { schedule: '@daily', timeZone: 'UTC', entry: 'job.ts' });
  new AlertTopics(stack, 'Topics', { encryptionKey });
  return Template.fromStack(stack);
}

const KEY = { 'Fn::GetAtt': [Match.stringLikeRegexp('^Key'), 'Arn'] };

test('one customer key encrypts table, queue, logs, variables and topics', () => {
  const template = encrypted();
  template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
  });
  template.hasResourceProperties('AWS::SQS::Queue', { KmsMasterKeyId: KEY });
  template.hasResourceProperties('AWS::Logs::LogGroup', { KmsKeyId: KEY });
  template.hasResourceProperties('AWS::Lambda::Function', { KmsKeyArn: KEY });
  template.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: KEY });
});

test('who writes may use the key, and no other', () => {
  const statements = Object.values(encrypted().findResources('AWS::IAM::Role'))
    .flatMap(({ Properties }) => Properties.Policies ?? [])
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Sid }) => Sid === 'Keys');
  expect(statements.length).toBeGreaterThanOrEqual(2);
  for (const { Action, Resource } of statements) {
    expect(Action).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
    expect(JSON.stringify(Resource)).not.toContain('*');
  }
});

test('CloudWatch Logs may use it', () => {
  encrypted().hasResourceProperties('AWS::KMS::Key', {
    KeyPolicy: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Principal: { Service: 'logs.eu-west-1.amazonaws.com' },
        }),
      ]),
    },
  });
});

test('a stack without a Region is refused, in words of ours', () => {
  const { stack, root } = schedulerApp();
  const encryptionKey = new Key(stack, 'Key');
  const declare = () =>
    new JobScheduler(stack, 'Encrypted', { environment: 'test', prefix: 'encrypted', root, encryptionKey });
  expect(declare).toThrow(
    expect.objectContaining({ code: 'KeyWithoutRegion', message: expect.stringContaining("region: 'eu-west-1'") }),
  );
});
