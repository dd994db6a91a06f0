/**
 * A stand-in for a CDK app: writes the cloud assembly of one environment, `dev`, with the jobs that cdk.json's context
 * asks for, in the shape that aws-cdk-lib gives it.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FixtureContext, FixtureJob } from '../local-app.ts';

const { CDK_OUTDIR: outdir = 'cdk.out', CDK_CONTEXT_JSON: context = '{}' } = process.env;
const { jobs = [], fail, hashOnly = false } = JSON.parse(context) as FixtureContext;
if (fail !== undefined) throw new Error(fail);

/** The project's own handlers, if it has some. */
const code = existsSync('functions') ? 'functions' : join(import.meta.dirname, 'functions');
const HASH = createHash('sha256')
  .update(
    readdirSync(code)
      .map((name) => readFileSync(join(code, name), 'utf8'))
      .join(),
  )
  .digest('hex');
const stage = join(outdir, 'assembly-dev');
mkdirSync(stage, { recursive: true });
cpSync(code, join(stage, `asset.${HASH}`), { recursive: true });

const write = (path: string, value: unknown) => writeFileSync(path, JSON.stringify(value));
write(join(outdir, 'manifest.json'), {
  version: '48.0.0',
  artifacts: {
    'assembly-dev': { type: 'cdk:cloud-assembly', properties: { directoryName: 'assembly-dev', displayName: 'dev' } },
    Tree: { type: 'cdk:tree', properties: { file: 'tree.json' } },
  },
});
const stack = (name: string) => ({
  type: 'aws:cloudformation:stack',
  environment: 'aws://unknown-account/unknown-region',
  properties: { templateFile: `${name}.template.json`, stackName: `dev-${name}` },
});
write(join(stage, 'manifest.json'), {
  version: '48.0.0',
  artifacts: {
    'jobs.assets': { type: 'cdk:asset-manifest', properties: { file: 'jobs.assets.json' } },
    state: stack('state'),
    jobs: stack('jobs'),
    watch: stack('watch'),
  },
});
write(join(stage, 'jobs.assets.json'), {
  version: '48.0.0',
  files: { [HASH]: { source: { path: `asset.${HASH}`, packaging: 'zip' } } },
});

write(join(stage, 'state.template.json'), {
  Resources: {
    RunsA1: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        TableName: 'dev-runs',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          ...(hashOnly ? [] : [{ AttributeName: 'sk', AttributeType: 'S' }]),
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          ...(hashOnly ? [] : [{ AttributeName: 'sk', KeyType: 'RANGE' }]),
        ],
        BillingMode: 'PAY_PER_REQUEST',
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        Replicas: [{ Region: { Ref: 'AWS::Region' } }],
      },
    },
  },
  Outputs: { RunsRef: { Value: { Ref: 'RunsA1' }, Export: { Name: 'dev-state:RunsRef' } } },
});

const functionOf = (job: FixtureJob) => ({
  [`${job.name}Fn`]: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Code: { S3Bucket: { 'Fn::Sub': `cdk-assets-${'$'}{AWS::AccountId}-${'$'}{AWS::Region}` }, S3Key: `${HASH}.zip` },
      Handler: `index.${job.handler}`,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
      Timeout: job.timeout ?? 5,
      MemorySize: job.memory ?? 256,
      Environment: {
        Variables: {
          BELFRY_TABLE: { 'Fn::ImportValue': 'dev-state:RunsRef' },
          QUEUE_URL: { Ref: 'Queue' },
          ...(job.watchdog === true
            ? {}
            : {
                BELFRY_JOB: JSON.stringify({
                  name: job.name,
                  schedule: job.expression,
                  timeZone: job.timeZone ?? 'UTC',
                }),
              }),
        },
      },
    },
  },
  [`${job.name}Invoke`]: {
    Type: 'AWS::Lambda::EventInvokeConfig',
    Properties: {
      FunctionName: { Ref: `${job.name}Fn` },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: job.retries ?? 0,
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Queue', 'Arn'] } } },
    },
  },
  [`${job.name}Schedule`]: {
    Type: 'AWS::Scheduler::Schedule',
    Properties: {
      Name: job.name,
      GroupName: { Ref: 'Group' },
      ScheduleExpression: job.expression,
      ScheduleExpressionTimezone: job.timeZone ?? 'UTC',
      State: 'ENABLED',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: {
        Arn: { 'Fn::GetAtt': [`${job.name}Fn`, 'Arn'] },
        RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
        Input: `{"job":"${job.name}","scheduledTime":"<aws.scheduler.scheduled-time>","revision":"r1"}`,
      },
    },
  },
});
write(join(stage, 'jobs.template.json'), {
  Parameters: {
    BootstrapVersion: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/cdk-bootstrap/hnb659fds/version' },
  },
  Resources: {
    Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: {} } },
    Group: { Type: 'AWS::Scheduler::ScheduleGroup', Properties: { Name: 'belfry-dev' } },
    Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
    Logs: { Type: 'AWS::Logs::LogGroup', Properties: {} },
    Board: { Type: 'AWS::CloudWatch::Dashboard', Properties: { DashboardBody: '{}' } },
    ...Object.assign({}, ...jobs.map(functionOf)),
  },
  Outputs: {
    QueueName: { Value: { 'Fn::GetAtt': ['Queue', 'QueueName'] }, Export: { Name: 'dev-jobs:QueueName' } },
  },
});
write(join(stage, 'watch.template.json'), {
  Resources: {
    TicketTopicB2: { Type: 'AWS::SNS::Topic', Properties: {} },
    WarnTopicC3: { Type: 'AWS::SNS::Topic', Properties: {} },
    DeadLettersD4: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        AlarmName: 'dev-dead-letters',
        Namespace: 'AWS/SQS',
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: [{ Name: 'QueueName', Value: { 'Fn::ImportValue': 'dev-jobs:QueueName' } }],
        Statistic: 'Maximum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        TreatMissingData: 'notBreaching',
        AlarmActions: [{ Ref: 'TicketTopicB2' }],
      },
    },
    MissedE5: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        AlarmName: { 'Fn::Join': ['-', [{ Ref: 'AWS::StackName' }, 'missed']] },
        Namespace: 'Belfry',
        MetricName: 'Missed',
        Dimensions: [{ Name: 'Environment', Value: 'dev' }],
        Statistic: 'Sum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 1,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        TreatMissingData: 'notBreaching',
        AlarmActions: [{ Ref: 'WarnTopicC3' }],
      },
    },
    MathF6: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        Metrics: [{ Id: 'm', Expression: 'a/b' }],
        Threshold: 1,
        ComparisonOperator: 'GreaterThanThreshold',
        EvaluationPeriods: 1,
      },
    },
  },
});
