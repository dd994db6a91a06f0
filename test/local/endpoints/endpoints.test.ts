import { DynamoDBClient, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import {
  CreateScheduleCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { askClock } from '../../../lib/local/endpoints/clock-route.ts';
import type { LocalEvent } from '../../../lib/local/local-event.ts';
import { LocalRuntime } from '../../../lib/local/local-runtime.ts';
import { createLocalApp } from '../../support/local-app.ts';

const FROM = Date.parse('2026-10-31T23:00:30Z');
const GROUP = 'belfry-dev';

const app = createLocalApp({
  jobs: [
    { name: 'look', handler: 'look', expression: 'cron(0 0 1 1 ? 2099)' },
    { name: 'throws', handler: 'throws', expression: 'cron(0 0 1 1 ? 2099)' },
    { name: 'beat', handler: 'beat', expression: 'cron(0 0 1 1 ? 2099)' },
    { name: 'count', handler: 'count', expression: 'cron(0 0 1 1 ? 2099)', watchdog: true },
  ],
});
const events: LocalEvent[] = [];
const clock = new VirtualClock({ from: FROM, speed: 3_600 });
let runtime: LocalRuntime;
let lambda: LambdaClient;
let scheduler: SchedulerClient;
let sqs: SQSClient;
let sns: SNSClient;

beforeAll(async () => {
  runtime = await LocalRuntime.prepare({
    projectFolder: app.path,
    environment: 'dev',
    clock,
    fresh: false,
    emit: (event) => events.push(event),
  });
  runtime.run();
  clock.pause();
  const ready = events.find((event) => event.type === 'ready');
  const settings = {
    endpoint: ready?.endpoint ?? '',
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  };
  lambda = new LambdaClient(settings);
  scheduler = new SchedulerClient(settings);
  sqs = new SQSClient({ ...settings, useQueueUrlAsEndpoint: false });
  sns = new SNSClient(settings);
});
afterAll(async () => {
  lambda.destroy();
  scheduler.destroy();
  sqs.destroy();
  sns.destroy();
  await runtime.stop(5_000);
  app[Symbol.dispose]();
});

async function eventually<Found>(find: () => Found | undefined): Promise<Found> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it('invokes a function and hands back what it returns, by name or ARN', async () => {
  for (const name of ['dev-jobs-lookFn', 'arn:aws:lambda:us-east-1:000000000000:function:dev-jobs-lookFn:$LATEST']) {
    const { StatusCode, Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: name, Payload: '{}' }),
    );
    expect(StatusCode).toBe(200);
    expect(FunctionError).toBeUndefined();
    expect(JSON.parse(Payload?.transformToString() ?? '')).toMatchObject({ functionName: 'dev-jobs-lookFn' });
  }
});

it('reports a function error as Lambda does: 200 with a function error', async () => {
  const { StatusCode, FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: 'dev-jobs-throwsFn', Payload: '{"job":"throws"}' }),
  );
  expect([StatusCode, FunctionError]).toEqual([200, 'Unhandled']);
  expect(JSON.parse(Payload?.transformToString() ?? '')).toMatchObject({ errorType: 'OrderMissing' });
});

it('takes events, runs them afterwards, and the data they write is there', async () => {
  const event = JSON.stringify({ job: 'beat', scheduledTime: '2026-10-31T22:00:00Z', trigger: 'catchUp' });
  const { StatusCode } = await lambda.send(
    new InvokeCommand({ FunctionName: 'dev-jobs-beatFn', InvocationType: 'Event', Payload: event }),
  );
  expect(StatusCode).toBe(202);
  await eventually(() => events.find((seen) => seen.type === 'run' && seen.trigger === 'catchUp'));
  const counted = await lambda.send(new InvokeCommand({ FunctionName: 'dev-jobs-countFn' }));
  expect(counted.Payload?.transformToString()).toBe('1');
});

it('refuses in the words of AWS: unknown functions, bad payloads, services it does not have', async () => {
  await expect(lambda.send(new InvokeCommand({ FunctionName: 'absent' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
  await expect(
    lambda.send(new InvokeCommand({ FunctionName: 'dev-jobs-beatFn', Payload: 'no json' })),
  ).rejects.toMatchObject({
    name: 'InvalidRequestContentException',
  });
  const stray = new DynamoDBClient({
    endpoint: String(
      await scheduler.config.endpoint?.().then(({ protocol, hostname, port }) => `${protocol}//${hostname}:${port}`),
    ),
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  await expect(stray.send(new ListTablesCommand({}))).rejects.toMatchObject({ name: 'UnknownOperationException' });
  await expect(stray.send(new PutItemCommand({ TableName: 'x', Item: {} }))).rejects.toThrow(
    /has no DynamoDB_20120810.PutItem/,
  );
  stray.destroy();
});

it('tells what it knows of a function', async () => {
  const name = { FunctionName: 'dev-jobs-lookFn' };
  expect(await lambda.send(new GetFunctionConfigurationCommand(name))).toMatchObject({
    State: 'Active',
    Timeout: 5,
    Environment: { Variables: { BELFRY_TABLE: 'dev-runs' } },
  });
  const { ReservedConcurrentExecutions } = await lambda.send(new GetFunctionConcurrencyCommand(name));
  expect(ReservedConcurrentExecutions).toBeUndefined();
  const absent = new GetFunctionConfigurationCommand({ FunctionName: 'absent' });
  await expect(lambda.send(absent)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

it('keeps messages until they are deleted, and hides those that were received', async () => {
  const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/dev-jobs-Queue';
  const attribute = { DataType: 'String', StringValue: '200' };
  await sqs.send(
    new SendMessageCommand({ QueueUrl, MessageBody: '{"job":"beat"}', MessageAttributes: { ErrorCode: attribute } }),
  );
  const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] });
  const { Messages: [message] = [] } = await sqs.send(receive);
  expect(message).toMatchObject({ Body: '{"job":"beat"}', MessageAttributes: { ErrorCode: { StringValue: '200' } } });
  expect((await sqs.send(receive)).Messages ?? []).toEqual([]);
  const counts = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
  expect((await sqs.send(counts)).Attributes).toMatchObject({
    ApproximateNumberOfMessages: '0',
    ApproximateNumberOfMessagesNotVisible: '1',
  });
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
  expect((await sqs.send(counts)).Attributes).toMatchObject({ ApproximateNumberOfMessagesNotVisible: '0' });
  const nowhere = new ReceiveMessageCommand({ QueueUrl: QueueUrl.replace('Queue', 'Nowhere') });
  await expect(sqs.send(nowhere)).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
});

it('shows what is published to a topic', async () => {
  const topic = 'arn:aws:sns:us-east-1:000000000000:dev-watch-TicketTopicB2';
  const { MessageId } = await sns.send(
    new PublishCommand({ TopicArn: topic, Subject: '[dev] beat is not well', Message: 'why' }),
  );
  expect(MessageId).toMatch(/^[0-9a-f-]{36}$/);
  expect(events.at(-1)).toMatchObject({
    type: 'note',
    text: 'published to dev-watch-TicketTopicB2: [dev] beat is not well',
  });
  await expect(sns.send(new PublishCommand({ TopicArn: `${topic}x`, Message: 'm' }))).rejects.toThrow(/does not exist/);
});

const once = (Name: string, at: string) => ({
  Name,
  GroupName: GROUP,
  ScheduleExpression: `at(${at})`,
  ScheduleExpressionTimezone: 'UTC',
  FlexibleTimeWindow: { Mode: 'OFF' as const },
  ActionAfterCompletion: 'DELETE' as const,
  Target: {
    Arn: 'arn:aws:lambda:us-east-1:000000000000:function:dev-jobs-beatFn',
    RoleArn: 'arn:aws:iam::000000000000:role/any',
    Input: '{"job":"beat","scheduledTime":"2026-10-31T21:00:00Z","trigger":"backfill"}',
  },
});

it('fires a one-time schedule made through the API on the clock, and removes it', async () => {
  const { ScheduleArn } = await scheduler.send(new CreateScheduleCommand(once('retry-1', '2026-10-31T23:01:10')));
  expect(ScheduleArn).toBe(`arn:aws:scheduler:us-east-1:000000000000:schedule/${GROUP}/retry-1`);
  expect(await scheduler.send(new GetScheduleCommand({ Name: 'retry-1', GroupName: GROUP }))).toMatchObject({
    ScheduleExpression: 'at(2026-10-31T23:01:10)',
    State: 'ENABLED',
    ActionAfterCompletion: 'DELETE',
  });
  while (clock.now() < Date.parse('2026-10-31T23:01:10Z')) clock.step();
  expect(clock.now()).toBeLessThan(Date.parse('2026-10-31T23:01:15Z'));
  await eventually(() => events.find((seen) => seen.type === 'run' && seen.trigger === 'backfill'));
  await expect(scheduler.send(new GetScheduleCommand({ Name: 'retry-1', GroupName: GROUP }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

it('lists the schedules of the template too, in pages', async () => {
  const first = await scheduler.send(new ListSchedulesCommand({ GroupName: GROUP, MaxResults: 3 }));
  const second = await scheduler.send(
    new ListSchedulesCommand({ GroupName: GROUP, MaxResults: 3, NextToken: first.NextToken }),
  );
  expect([...(first.Schedules ?? []), ...(second.Schedules ?? [])].map(({ Name }) => Name)).toEqual([
    'look',
    'throws',
    'beat',
    'count',
  ]);
  expect(second.NextToken).toBeUndefined();
});

it('updates and deletes schedules', async () => {
  await scheduler.send(new CreateScheduleCommand(once('later', '2027-01-01T00:00:00')));
  await scheduler.send(new UpdateScheduleCommand({ ...once('later', '2027-02-02T00:00:00'), State: 'DISABLED' }));
  expect(await scheduler.send(new GetScheduleCommand({ Name: 'later', GroupName: GROUP }))).toMatchObject({
    ScheduleExpression: 'at(2027-02-02T00:00:00)',
    State: 'DISABLED',
  });
  await scheduler.send(new DeleteScheduleCommand({ Name: 'later', GroupName: GROUP }));
  await expect(scheduler.send(new DeleteScheduleCommand({ Name: 'later', GroupName: GROUP }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

it.each([
  ['a name taken', once('beat', '2027-01-01T00:00:00'), 'ConflictException'],
  ['an expression that is none', { ...once('x', ''), ScheduleExpression: 'every minute' }, 'ValidationException'],
  [
    'an unknown zone',
    { ...once('x', '2027-01-01T00:00:00'), ScheduleExpressionTimezone: 'Mars/Base' },
    'ValidationException',
  ],
  ['an unknown group', { ...once('x', '2027-01-01T00:00:00'), GroupName: 'absent' }, 'ResourceNotFoundException'],
  [
    'input that is no JSON',
    { ...once('x', '2027-01-01T00:00:00'), Target: { ...once('x', '').Target, Input: '{' } },
    'ValidationException',
  ],
])('refuses to create a schedule with %s', async (_name, input, code) => {
  await expect(scheduler.send(new CreateScheduleCommand(input))).rejects.toMatchObject({ name: code });
});

it('tells what its clock shows, and whoever asks another server learns nothing', async () => {
  const { endpoint = '' } = events.find((event) => event.type === 'ready') ?? {};
  expect(await askClock(endpoint)).toBe(clock.now());
  expect(await askClock(runtime.inside.dynamoDbUrl)).toBeUndefined();
  expect(await askClock('http://127.0.0.1:1')).toBeUndefined();
});
