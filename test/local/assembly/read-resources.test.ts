import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCloudAssembly } from '../../../lib/local/assembly/cloud-assembly.ts';
import { readResources } from '../../../lib/local/assembly/read-resources.ts';
import type { LocalResources } from '../../../lib/local/assembly/resources.ts';
import { synthesise } from '../../../lib/local/assembly/synthesise.ts';
import { createLocalApp } from '../../support/local-app.ts';

const app = createLocalApp({
  jobs: [
    { name: 'beat', handler: 'beat', expression: 'cron(* * * * ? *)', timeout: 20, memory: 512, retries: 1 },
    {
      name: 'guard',
      handler: 'missing',
      expression: 'cron(0 8 ? * MON-FRI *)',
      timeZone: 'America/New_York',
      watchdog: true,
    },
  ],
});
const outdir = join(app.path, 'cdk.out');
let resources: LocalResources;

beforeAll(async () => {
  await synthesise({ projectFolder: app.path, outdir, environment: 'dev' });
  resources = readResources(readCloudAssembly(outdir, 'dev'));
});
afterAll(() => app[Symbol.dispose]());

it('reads tables as the request that creates them', () => {
  expect(resources.tables).toEqual([
    {
      name: 'dev-runs',
      timeToLive: 'expiresAt',
      create: {
        TableName: 'dev-runs',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
      },
    },
  ]);
});

it('reads functions with their code, limits, environment across stacks, and job', () => {
  const [beat, guard] = resources.functions;
  expect(beat).toMatchObject({
    name: 'dev-jobs-beatFn',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:dev-jobs-beatFn',
    handler: 'index.beat',
    runtime: 'nodejs24.x',
    timeoutMs: 20_000,
    memoryMb: 512,
    variables: {
      BELFRY_TABLE: 'dev-runs',
      QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/dev-jobs-Queue',
    },
    logGroupName: '/aws/lambda/dev-jobs-beatFn',
    asyncInvoke: {
      maximumRetryAttempts: 1,
      maximumEventAgeMs: 21_600_000,
      onFailureArn: 'arn:aws:sqs:us-east-1:000000000000:dev-jobs-Queue',
    },
    job: { name: 'beat', timeZone: 'UTC' },
  });
  expect(existsSync(join(beat?.codePath ?? '', 'index.mjs'))).toBe(true);
  expect(guard?.job).toBeUndefined();
});

it('reads schedules with their zone and target', () => {
  expect(resources.schedules[1]).toMatchObject({
    name: 'guard',
    group: 'belfry-dev',
    arn: 'arn:aws:scheduler:us-east-1:000000000000:schedule/belfry-dev/guard',
    expression: 'cron(0 8 ? * MON-FRI *)',
    timeZone: 'America/New_York',
    enabled: true,
    targetArn: 'arn:aws:lambda:us-east-1:000000000000:function:dev-jobs-guardFn',
    input: '{"job":"guard","scheduledTime":"<aws.scheduler.scheduled-time>","revision":"r1"}',
  });
});

it('reads alarms, and takes their severity from the topic they are sent to', () => {
  expect(resources.alarms.map(({ name, severity }) => [name, severity])).toEqual([
    ['dev-dead-letters', 'ticket'],
    ['dev-watch-missed', 'warn'],
  ]);
  expect(resources.alarms[0]).toMatchObject({
    namespace: 'AWS/SQS',
    dimensions: { QueueName: 'dev-jobs-Queue' },
    statistic: 'Maximum',
    periodMs: 60_000,
    datapointsToAlarm: 1,
    comparison: 'GreaterThanThreshold',
    missingData: 'notBreaching',
  });
});

it('names once what it does not run, and what that means', () => {
  expect(resources.notes).toEqual([
    'AWS::CloudWatch::Dashboard (Board): dashboards are drawn by CloudWatch only',
    'alarm dev-watch-MathF6: metric math and anomaly bands are not evaluated locally, it never changes its state',
  ]);
});

it('names the environments there are when asked for another', () => {
  expect(() => readCloudAssembly(outdir, 'prod')).toThrow("the app declares no environment 'prod': it has dev");
});

it('shows what an app says that does not synthesise', async () => {
  using failing = createLocalApp({ fail: 'the zone Mars/Base is not known' });
  await expect(
    synthesise({ projectFolder: failing.path, outdir: join(failing.path, 'cdk.out'), environment: 'dev' }),
  ).rejects.toThrow(/did not synthesise[\s\S]*Mars\/Base/);
});

it('says so when the app writes no cloud assembly, or there is no app', async () => {
  expect(() => readCloudAssembly(app.path, 'dev')).toThrow('wrote no cloud assembly');
  await expect(synthesise({ projectFolder: outdir, outdir, environment: 'dev' })).rejects.toThrow(
    'there is no cdk.json',
  );
});
