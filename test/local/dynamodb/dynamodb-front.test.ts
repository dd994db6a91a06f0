import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DynamoDbServer, startDynamoDb } from '../../support/dynamodb-server.ts';

const TableName = 'things';
let now = Date.parse('2026-11-01T00:00:00Z');
let server: DynamoDbServer;
let client: DynamoDBClient;
let serial = 0;
let pk = '';

beforeAll(async () => {
  server = await startDynamoDb({ now: () => now });
  client = server.client();
  await server.createTable(TableName);
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  pk = `p${serial++}`;
});

const ONE = { pk: { S: 'one' }, sk: { S: 'item' } };
const key = (sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
const put = (sk: string, more = {}): TransactWriteItem => ({ Put: { TableName, Item: { ...key(sk), ...more } } });
const increment = (sk: string): TransactWriteItem => ({
  Update: {
    TableName,
    Key: key(sk),
    UpdateExpression: 'ADD #n :one',
    ExpressionAttributeNames: { '#n': 'n' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  },
});
const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
const read = async (sk: string) =>
  (await client.send(new GetItemCommand({ TableName, Key: key(sk), ConsistentRead: true }))).Item;
const transact = (TransactItems: TransactWriteItem[], ClientRequestToken?: string) =>
  client.send(new TransactWriteItemsCommand({ TransactItems, ...(ClientRequestToken ? { ClientRequestToken } : {}) }));

describe('TransactWriteItems', () => {
  test('applies all four kinds of action together', async () => {
    await transact([put('kept'), put('deleted')]);
    await transact([
      put('put', { n: { N: '7' } }),
      increment('updated'),
      { Delete: { TableName, Key: key('deleted') } },
      { ConditionCheck: { TableName, Key: key('kept'), ConditionExpression: 'attribute_exists(pk)' } },
    ]);
    expect((await read('put'))?.n).toEqual({ N: '7' });
    expect((await read('updated'))?.n).toEqual({ N: '1' });
    expect(await read('deleted')).toBeUndefined();
    expect(await read('kept')).toBeDefined();
  });

  test('applies nothing when one condition fails, and says which, in order, with the item', async () => {
    await transact([put('there', { n: { N: '1' } })]);
    const refused = transact([
      put('new'),
      { Put: { TableName, Item: key('there'), ...absent, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
      increment('other'),
    ]);
    const error = await refused.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TransactionCanceledException);
    const { CancellationReasons = [] } = error as TransactionCanceledException;
    expect(CancellationReasons.map(({ Code }) => Code)).toEqual(['None', 'ConditionalCheckFailed', 'None']);
    expect(CancellationReasons[1]?.Item).toEqual({ ...key('there'), n: { N: '1' } });
    expect(await read('new')).toBeUndefined();
    expect(await read('other')).toBeUndefined();
  });

  test('a token replays its transaction for ten minutes, and refuses another content', async () => {
    await transact([increment('a')], 'token-1');
    await transact([increment('a')], 'token-1');
    expect((await read('a'))?.n).toEqual({ N: '1' });
    await expect(transact([increment('b')], 'token-1')).rejects.toThrow(/client token/);
    now += 10 * 60_000 + 1;
    await transact([increment('a')], 'token-1');
    expect((await read('a'))?.n).toEqual({ N: '2' });
  });

  test('of twenty at once on one item exactly one meets the condition', async () => {
    const attempts = Array.from({ length: 20 }, (_, i) =>
      transact([{ Put: { TableName, Item: { ...key('one'), by: { N: String(i) } }, ...absent } }, increment('count')]),
    );
    const ended = await Promise.allSettled(attempts);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await read('count'))?.n).toEqual({ N: '1' });
  });

  test('interleaved with single writes no increment is lost', async () => {
    const single = () =>
      client.send(
        new UpdateItemCommand({
          TableName,
          Key: key('x'),
          UpdateExpression: 'ADD n :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
        }),
      );
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? single() : transact([increment('x'), increment('y')]))),
    );
    expect((await read('x'))?.n).toEqual({ N: '30' });
    expect((await read('y'))?.n).toEqual({ N: '15' });
  });

  test('an update that does not fit the stored type cancels the whole', async () => {
    await transact([put('text', { n: { S: 'not a number' } })]);
    const error = await transact([put('before'), increment('text')]).catch((caught: unknown) => caught);
    expect((error as TransactionCanceledException).CancellationReasons?.map(({ Code }) => Code)).toEqual([
      'None',
      'ValidationError',
    ]);
    expect(await read('before')).toBeUndefined();
  });

  test.each([
    [
      'two actions on one item',
      [{ Put: { TableName, Item: ONE } }, { Delete: { TableName, Key: ONE } }],
      /multiple operations on one item/,
    ],
    ['a key of the wrong type', [{ Put: { TableName, Item: { pk: { N: '1' }, sk: { S: 'a' } } } }], /Type mismatch/],
    [
      'an undefined value',
      [{ Delete: { TableName, Key: { pk: { S: 'p' }, sk: { S: 's' } }, ConditionExpression: 'n = :n' } }],
      /not defined/,
    ],
    [
      'a change of the key',
      [
        {
          Update: {
            TableName,
            Key: { pk: { S: 'p' }, sk: { S: 's' } },
            UpdateExpression: 'SET sk = :n',
            ExpressionAttributeValues: { ':n': { S: 'x' } },
          },
        },
      ],
      /part of the key/,
    ],
  ])('refuses %s', async (_, items, message) => {
    await expect(transact(items as TransactWriteItem[])).rejects.toThrow(message);
  });

  test('refuses more than a hundred actions', async () => {
    const many = Array.from({ length: 101 }, (_, i) => put(`m${i}`));
    await expect(transact(many)).rejects.toThrow(/less than or equal to 100/);
  });
});

test('TransactGetItems reads several items', async () => {
  await transact([put('a', { n: { N: '1' } })]);
  const { Responses } = await client.send(
    new TransactGetItemsCommand({
      TransactItems: [{ Get: { TableName, Key: key('a') } }, { Get: { TableName, Key: key('none') } }],
    }),
  );
  expect(Responses?.map(({ Item }) => Item?.n)).toEqual([{ N: '1' }, undefined]);
});

test('ReturnValuesOnConditionCheckFailure brings the item that stood in the way', async () => {
  await transact([put('there', { n: { N: '5' } })]);
  const request = { TableName, Item: key('there'), ...absent };
  const quiet = await client.send(new PutItemCommand(request)).catch((caught: unknown) => caught);
  expect(quiet).toBeInstanceOf(ConditionalCheckFailedException);
  expect((quiet as ConditionalCheckFailedException).Item).toBeUndefined();
  const telling = client.send(new PutItemCommand({ ...request, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }));
  const error = (await telling.catch((caught: unknown) => caught)) as ConditionalCheckFailedException;
  expect(error.Item?.n).toEqual({ N: '5' });
});

test('time to live deletes what has expired on the clock, and nothing else', async () => {
  const seconds = Math.floor(now / 1000);
  const expiresAt = (value: number) => ({ expiresAt: { N: String(value) } });
  await transact([
    put('past', expiresAt(seconds - 1)),
    put('future', expiresAt(seconds + 3_600)),
    put('never'),
    put('ancient', expiresAt(12)),
  ]);
  const specification = { TimeToLiveSpecification: { Enabled: true, AttributeName: 'expiresAt' } };
  await client.send(new UpdateTimeToLiveCommand({ TableName, ...specification }));
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' });
  expect(await server.front.sweepExpired()).toBe(1);
  expect(await read('past')).toBeUndefined();
  // Six hours on, any request sets the next sweep off.
  now += 6 * 3_600_000;
  await client.send(new ScanCommand({ TableName }));
  expect(await read('future')).toBeUndefined();
  expect(await read('never')).toBeDefined();
  expect(await read('ancient')).toBeDefined();
  // Nothing is left that will expire: only what is written from here on can make a sweep necessary again.
  await client.send(new PutItemCommand({ TableName, Item: { ...key('single'), ...later() } }));
  await sweepFinds('single');
  await client.send(
    new BatchWriteItemCommand({
      RequestItems: { [TableName]: [{ PutRequest: { Item: { ...key('batch'), ...later() } } }] },
    }),
  );
  await sweepFinds('batch');
  await transact([put('transaction', later())]);
  await sweepFinds('transaction');
  const update = {
    UpdateExpression: 'SET expiresAt = :soon',
    ExpressionAttributeValues: { ':soon': later().expiresAt },
  };
  await client.send(new UpdateItemCommand({ TableName, Key: key('never'), ...update }));
  await sweepFinds('never');
});

const later = () => ({ expiresAt: { N: String(Math.floor(now / 1000) + 60) } });

async function sweepFinds(sk: string): Promise<void> {
  expect(await read(sk)).toBeDefined();
  now += 6 * 3_600_000;
  await client.send(new ScanCommand({ TableName }));
  expect(await read(sk)).toBeUndefined();
}
