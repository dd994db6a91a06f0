import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { BatchGetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { CREDENTIALS, type DynamoDbServer, type Fate, startDynamoDb } from '../support/dynamodb-server.ts';
import { eventually } from '../support/eventually.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { manifestInput } from '../support/manifest-input.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const TABLE = 'run-table';

let dynamoDb: DynamoDbServer;
let scheduler: http.Server;
/** What the watchdog asked for, in order, each when it arrived. */
let asked: string[];
/** By what name it asked. */
let userAgents: Set<string | undefined>;
/** When a request is answered. */
let beforeAnswer: (operation: string) => Promise<void>;
let manifest: string | undefined;
let handler: (event?: { readonly scheduledTime?: unknown }) => Promise<void>;

beforeEach(async () => {
  asked = [];
  userAgents = new Set();
  beforeAnswer = async () => {};
  manifest = manifestInput({ version: 1, jobs: [jobDefinition()], functions: { sync: 'fn-sync' }, awsSchedules: {} });
  dynamoDb = await startDynamoDb();
  await dynamoDb.createTable(TABLE);
  dynamoDb.fate = async (operation): Promise<Fate> => {
    asked.push(operation);
    await beforeAnswer(operation);
    return 'deliver';
  };
  scheduler = http.createServer(async (request, response) => {
    userAgents.add(request.headers['user-agent']);
    asked.push('GetSchedule');
    await beforeAnswer('GetSchedule');
    // It is not the test's date: the SDK would set its clock by it, and ask again.
    response.sendDate = false;
    response.writeHead(manifest === undefined ? 404 : 200, {
      'content-type': 'application/json',
      ...(manifest === undefined ? { 'x-amzn-errortype': 'ResourceNotFoundException' } : {}),
    });
    response.end(JSON.stringify({ Target: { Arn: 'arn', RoleArn: 'arn', Input: manifest } }));
  });
  await new Promise<void>((resolve) => scheduler.listen(0, '127.0.0.1', resolve));
  const variables = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.url,
    AWS_ENDPOINT_URL_SCHEDULER: `http://127.0.0.1:${(scheduler.address() as AddressInfo).port}`,
    BELFRY_TABLE: TABLE,
    BELFRY_ENVIRONMENT: 'test',
    BELFRY_SCHEDULER: 'jobs',
    BELFRY_JOBS_STACKS: 'test/jobs',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.resetModules();
  ({ handler } = await import('../../lambdas/watchdog/handler.ts'));
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  scheduler.closeAllConnections();
  await new Promise((resolve) => scheduler.close(resolve));
  await dynamoDb[Symbol.asyncDispose]();
});

/** The run of the minute before, well done, never in quite the same time, and then the sweep that sees it: what it asked for. */
async function sweepAt(minute: number): Promise<readonly string[]> {
  const at = NOON + minute * MINUTE;
  vi.setSystemTime(at);
  const item = {
    pk: { S: 'J#sync' },
    sk: { S: `R#${formatInstant(at - MINUTE)}` },
    status: { S: 'succeeded' },
    trigger: { S: 'schedule' },
    fencingToken: { N: '1' },
    attempts: { N: '1' },
    claimedAt: { N: String(at - MINUTE + 500) },
    updatedAt: { N: String(at - MINUTE + 1_500 + 200 * (minute % 5)) },
  };
  await dynamoDb.front.handle('PutItem', { TableName: TABLE, Item: item });
  asked = [];
  await handler({ scheduledTime: formatInstant(at) });
  return asked;
}

async function sweepUntil(minute: number): Promise<void> {
  await handler();
  for (let n = 1; n <= minute; n++) await sweepAt(n);
}

test('an ordinary sweep asks four times in two steps: the manifest, its place and the runs at once', async () => {
  await sweepUntil(12);
  const reads = ['BatchGetItem', 'GetSchedule', 'Query'];
  beforeAnswer = async (operation) => {
    // None is answered before all were asked.
    if (reads.includes(operation)) await eventually(() => expect(asked).toEqual(expect.arrayContaining(reads)));
  };
  // The average is young no more, and the rows of this job are looked through at another minute of the hour.
  const calls = await sweepAt(13);
  expect([calls.slice(0, 3).sort(), calls.slice(3)]).toEqual([reads, ['PutItem']]);
});

test('a process that knows of no sweep before asks for the runs when it knows which', async () => {
  await sweepUntil(12);
  vi.resetModules();
  ({ handler } = await import('../../lambdas/watchdog/handler.ts'));
  const calls = await sweepAt(13);
  expect([calls.slice(0, 2).sort(), calls[2], calls.at(-1)]).toEqual([
    ['GetSchedule', 'Query'],
    'BatchGetItem',
    'PutItem',
  ]);
});

test('what the clients do for each request is worked out once', async () => {
  await sweepUntil(12);
  const prepared = [GetScheduleCommand, QueryCommand, BatchGetItemCommand, PutItemCommand].map(({ prototype }) =>
    vi.spyOn(prototype, 'resolveMiddleware'),
  );
  expect(await sweepAt(13)).toHaveLength(4);
  expect(prepared.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0, 0]);
  for (const name of userAgents) expect(name).toMatch(/^cdk-belfry\/0( m\/\S+)?$/);
});

test('without its manifest there is no sweep, whatever else is there', async () => {
  await sweepUntil(1);
  manifest = undefined;
  // The place comes later, when it is known already that there is nothing to do with it.
  beforeAnswer = async (operation) => {
    if (operation === 'Query') await eventually(() => expect(asked).toContain('GetSchedule'));
  };
  await expect(sweepAt(2)).rejects.toThrow("there is no schedule 'jobs.manifest' in group 'jobs'");
  await eventually(() => expect([...asked].sort()).toEqual(['BatchGetItem', 'GetSchedule', 'Query']));
});

test('when neither can be read, one error says so, and none is left over', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  manifest = undefined;
  dynamoDb.fate = () => 'loseRequest';
  await expect(handler()).rejects.toThrow("there is no schedule 'jobs.manifest'");
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
