import {
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StreamResource } from '../../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { DynamoDbEndpoint } from '../../../lib/local/dynamodb/dynamodb-endpoint.ts';
import type { InvocationOutcome } from '../../../lib/local/lambda/invocation-outcome.ts';
import { type BatchState, planBatch } from '../../../lib/local/streams/plan-batch.ts';
import { isReadable, matchesPattern } from '../../../lib/local/streams/record-pattern.ts';
import { StreamReader } from '../../../lib/local/streams/stream-reader.ts';
import { type ItemChange, type StreamRecord, streamRecord } from '../../../lib/local/streams/stream-record.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const STREAM: StreamResource = {
  name: 'changes',
  streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/runs/stream/local',
  tableName: 'runs',
  functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:told',
  batchSize: 4,
  windowMs: 1_000,
  maximumRetryAttempts: 2,
  maximumRecordAgeMs: 3_600_000,
  bisects: false,
  reportsFailures: true,
  patterns: [],
};

function record(sequence: number, change: Partial<ItemChange> = {}): StreamRecord {
  const key = { pk: { S: `k${sequence}` } };
  const made = streamRecord(
    { tableName: 'runs', key, before: undefined, after: key, ...change },
    { streamArn: STREAM.streamArn, sequence, now: NOON },
  );
  if (made === undefined) throw new Error('nothing changed');
  return made;
}

describe('the changes of a table', () => {
  test('are told with both images, in the order of writing, and only those that changed something', async () => {
    const endpoint = await DynamoDbEndpoint.start({ now: () => NOON });
    const client = new DynamoDBClient({
      endpoint: endpoint.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'k', secretAccessKey: 's' },
    });
    onTestFinished(async () => {
      client.destroy();
      await endpoint.close();
    });
    for (const TableName of ['runs', 'others']) {
      await client.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        }),
      );
    }
    const told: string[] = [];
    endpoint.watch(new Set(['runs']), (change) => {
      const made = streamRecord(change, { streamArn: STREAM.streamArn, sequence: 1, now: NOON });
      const { Keys, OldImage, NewImage } = made?.dynamodb ?? {};
      told.push(`${made?.eventName} ${Keys?.pk?.S} ${OldImage?.n?.N ?? '-'} ${NewImage?.n?.N ?? '-'}`);
    });
    const [TableName, Key] = ['runs', { pk: { S: 'a' } }];
    const set = (n: string) => ({
      TableName,
      Key,
      UpdateExpression: 'SET n = :n',
      ExpressionAttributeValues: { ':n': { N: n } },
    });
    await client.send(new PutItemCommand({ TableName, Item: { ...Key, n: { N: '1' } } }));
    await client.send(new UpdateItemCommand(set('2')));
    await client.send(new UpdateItemCommand(set('2')));
    await client.send(new PutItemCommand({ TableName: 'others', Item: Key }));
    const refused = new UpdateItemCommand({ ...set('9'), ConditionExpression: 'attribute_not_exists(pk)' });
    await client.send(refused).catch(() => {});
    await client.send(
      new TransactWriteItemsCommand({
        TransactItems: [{ Update: set('3') }, { Put: { TableName, Item: { pk: { S: 'b' }, n: { N: '1' } } } }],
      }),
    );
    await client.send(new DeleteItemCommand({ TableName, Key }));
    expect(told).toEqual([
      'INSERT a - 1',
      'MODIFY a 1 2',
      'undefined undefined - -',
      'MODIFY a 2 3',
      'INSERT b - 1',
      'REMOVE a 3 -',
    ]);
  });
});

describe('a filter', () => {
  const pattern = {
    dynamodb: { Keys: { pk: { S: [{ prefix: 'k' }] } }, NewImage: { status: { S: [{ exists: true }] } } },
  };
  const item = (pk: string, status?: string) => ({
    dynamodb: { Keys: { pk: { S: pk } }, NewImage: status === undefined ? {} : { status: { S: status } } },
  });

  test('lets through what fits all its keys', () => {
    expect(matchesPattern(pattern, item('k1', 'running'))).toBe(true);
    expect(matchesPattern(pattern, item('k1'))).toBe(false);
    expect(matchesPattern(pattern, item('W#', 'running'))).toBe(false);
    expect(matchesPattern({ eventName: ['INSERT', { suffix: 'FY' }] }, { eventName: 'MODIFY' })).toBe(true);
    expect(matchesPattern({ a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'x' })).toBe(false);
    expect(matchesPattern({ a: [{ exists: false }] }, { b: 1 })).toBe(true);
  });

  test('with an operator that is not known is not evaluated', () => {
    expect(isReadable(pattern)).toBe(true);
    expect(isReadable({ a: { b: [{ numeric: ['>', 1] }] } } as never)).toBe(false);
  });
});

describe('a batch', () => {
  const batch = [record(1), record(2), record(3), record(4)];
  const fresh: BatchState = { size: 4, failures: 0 };
  const ok = (...failed: string[]) => ({
    ok: true,
    payload: JSON.stringify({ batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }),
  });
  const error = { ok: false, payload: '{}' };
  const idOf = (sequence: number) => String(sequence).padStart(21, '0');

  test.each([
    ['taken', ok(), {}, { done: 4, discarded: 0, state: fresh, waitMs: 0 }],
    ['without an answer', { ok: true, payload: 'null' }, {}, { done: 4, discarded: 0 }],
    ['taken in part', ok(idOf(3)), {}, { done: 2, discarded: 0, state: { size: 4, failures: 1 }, waitMs: 1_000 }],
    ['of which a stranger failed', ok('x'), {}, { done: 0, discarded: 0, state: { size: 4, failures: 1 } }],
    ['whose failures nobody reads', ok(idOf(3)), { reportsFailures: false }, { done: 4, discarded: 0 }],
    ['that failed', error, {}, { done: 0, discarded: 0, state: { size: 4, failures: 1 }, waitMs: 1_000 }],
    ['that failed and is halved', error, { bisects: true }, { done: 0, discarded: 0, state: { size: 2, failures: 1 } }],
  ])('%s', (_, outcome, stream, expected) => {
    expect(planBatch(batch, outcome, fresh, { ...STREAM, ...stream }, NOON)).toMatchObject(expected);
  });

  test('is given up after its last retry, or when it is too old', () => {
    const last: BatchState = { size: 4, failures: 2 };
    expect(planBatch(batch, error, last, STREAM, NOON)).toMatchObject({
      discarded: 4,
      condition: 'RetryAttemptsExhausted',
    });
    expect(planBatch(batch, error, fresh, STREAM, NOON + 3_600_001)).toMatchObject({ condition: 'RecordAgeExceeded' });
    // Whoever got further begins anew.
    expect(planBatch(batch, ok(idOf(4)), last, STREAM, NOON)).toMatchObject({ done: 3, discarded: 0 });
  });
});

describe('a function that listens', () => {
  /** Steps a paused clock; what the function answers is drawn from `outcomes`, then it takes everything. */
  async function listen(stream: Partial<StreamResource>, outcomes: readonly ('error' | number)[], records: number) {
    const clock = new VirtualClock({ from: NOON });
    clock.pause();
    clock.start();
    const got: string[] = [];
    const discarded: object[] = [];
    const left = [...outcomes];
    const reader = new StreamReader({
      clock,
      stream: { ...STREAM, ...stream },
      onFailed: () => {},
      onDiscarded: (given) => discarded.push(given),
      invoke: async (_, payload): Promise<InvocationOutcome> => {
        const { Records } = JSON.parse(payload) as { readonly Records: readonly StreamRecord[] };
        got.push(Records.map(({ dynamodb }) => Number(dynamodb.SequenceNumber)).join(' '));
        const next = left.shift();
        const meters = { durationMs: 1, maxMemoryMb: 1 };
        if (next === 'error') return { ok: false, failure: 'error', payload: '{"errorMessage":"no"}', ...meters };
        const failed = next === undefined ? [] : [{ itemIdentifier: String(next).padStart(21, '0') }];
        return { ok: true, payload: JSON.stringify({ batchItemFailures: failed }), ...meters };
      },
    });
    for (let sequence = 1; sequence <= records; sequence++) reader.add(record(sequence));
    for (let turn = 0; turn < 50; turn++) {
      clock.step();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { got, discarded };
  }

  test('gets everything in order, in batches', async () => {
    expect((await listen({}, [], 6)).got).toEqual(['1 2 3 4', '5 6']);
  });

  test('gets again what it did not take, before anything that came later', async () => {
    expect((await listen({}, ['error', 3], 6)).got).toEqual(['1 2 3 4', '1 2 3 4', '3 4 5 6']);
  });

  test('gets halves when the whole fails, down to the record that does not go', async () => {
    const { got, discarded } = await listen({ bisects: true }, Array<'error'>(5).fill('error'), 5);
    expect(got.slice(0, 3)).toEqual(['1 2 3 4', '1 2', '1']);
    expect(discarded).toHaveLength(1);
    expect(discarded[0]).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: { batchSize: 1, startSequenceNumber: '1'.padStart(21, '0') },
    });
    expect(got.at(-1)).toMatch(/5$/);
  });

  test('gets only what its filter lets through', async () => {
    const patterns = [{ dynamodb: { Keys: { pk: { S: ['k2', 'k5'] } } } }];
    expect((await listen({ patterns }, [], 6)).got).toEqual(['2 5']);
  });
});
