import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type StreamRecord, tellChanges } from '../../lambdas/lifecycle/tell-changes.ts';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { EventBus } from '../../lib/adapters/event-bus/event-bus.ts';
import type { LifecycleEvent } from '../../lib/domain/run/lifecycle-event.ts';
import { startDynamoDb } from '../support/dynamodb-server.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const key = { job: 'sync', scheduledTime: NOON };

async function told(records: readonly StreamRecord[], taken = Number.POSITIVE_INFINITY) {
  const events: LifecycleEvent[] = [];
  const answer = await tellChanges('test', records, async (all) => {
    events.push(...all.slice(0, taken));
    return Math.min(all.length, taken);
  });
  return { events, answer };
}

/** The life of a run in a real table, as its stream would tell it. */
async function life(): Promise<StreamRecord[]> {
  const server = await startDynamoDb();
  onTestFinished(() => server[Symbol.asyncDispose]());
  await server.createTable('run-table');
  const client = server.client();
  const store = new DynamoDbRunStore(client, 'run-table');
  const records: StreamRecord[] = [];
  let before: NonNullable<StreamRecord['dynamodb']>['NewImage'];
  const write = async <Answer>(writing: Promise<Answer>): Promise<Answer> => {
    const answer = await writing;
    const Key = { pk: { S: 'J#sync' }, sk: { S: 'R#2026-06-01T12:00:00Z' } };
    const { Item } = await client.send(new GetItemCommand({ TableName: 'run-table', Key }));
    const images = {
      ...(Item === undefined ? {} : { NewImage: Item }),
      ...(before === undefined ? {} : { OldImage: before }),
    };
    records.push({ dynamodb: { SequenceNumber: String(records.length), ...images } });
    before = Item;
    return answer;
  };
  const claim = (now: number) => ({
    ...key,
    claimToken: `t${now}`,
    now,
    leaseExpiresAt: now + 1_000,
    deadBefore: now,
    maxAttempts: 3,
    trigger: 'schedule' as const,
    revision: 'r1',
  });
  const first = await write(store.claim(claim(NOON + 2_000)));
  if (first.outcome !== 'claimed') throw new Error('not claimed');
  await write(store.renew(first.claim, { leaseExpiresAt: NOON + 4_000 }, NOON + 3_000));
  const second = await write(store.claim(claim(NOON + 60_000)));
  if (second.outcome !== 'claimed') throw new Error('not taken over');
  const retry = { status: 'pending', nextAttemptAt: NOON + 70_000, error: 'no' } as const;
  await write(store.end(second.claim, retry, NOON + 61_000));
  const third = await write(store.claim(claim(NOON + 70_000)));
  if (third.outcome !== 'claimed') throw new Error('not claimed again');
  await write(store.end(third.claim, { status: 'succeeded', result: '{"rows":3}' }, NOON + 72_000));
  return records;
}

describe('lifecycle events', () => {
  test('one for each change of state, none for a lease that is renewed', async () => {
    const { events, answer } = await told(await life());
    expect(events.map(({ previousStatus, status, attempt }) => [previousStatus, status, attempt])).toEqual([
      [null, 'running', 1],
      ['running', 'running', 2],
      ['running', 'pending', 2],
      ['pending', 'running', 3],
      ['running', 'succeeded', 3],
    ]);
    expect(events.at(-1)).toEqual({
      version: 1,
      environment: 'test',
      job: 'sync',
      scheduledTime: '2026-06-01T12:00:00Z',
      status: 'succeeded',
      previousStatus: 'running',
      trigger: 'schedule',
      attempt: 3,
      fencingToken: 3,
      at: '2026-06-01T12:01:12.000Z',
      result: '{"rows":3}',
      latenessMs: 2_000,
      durationMs: 70_000,
    });
    expect(answer).toEqual({ batchItemFailures: [] });
  });

  test('from the first that the bus does not take on, all come again', async () => {
    const records = await life();
    const { events, answer } = await told(records, 2);
    expect(events).toHaveLength(2);
    // The renewal before it has been dealt with: it was no change.
    expect(answer.batchItemFailures).toEqual([{ itemIdentifier: '3' }]);
  });

  test('nothing is told of what expires, nor of what is no run', async () => {
    const image = { pk: { S: 'J#sync' }, sk: { S: 'R#2026-06-01T12:00:00Z' }, status: { S: 'succeeded' } };
    const turn = { pk: { S: 'J#sync' }, sk: { S: '$' }, version: { N: '1' } };
    const { events } = await told([{ dynamodb: { OldImage: image } }, { dynamodb: { NewImage: turn } }, {}]);
    expect(events).toEqual([]);
  });
});

test('the bus gets ten at a time, in order, and says how many it took', async () => {
  const client = new EventBridgeClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
  });
  const batches: { Entries: { Detail: string; Source: string; DetailType: string }[] }[] = [];
  client.middlewareStack.add(
    () => async (args) => {
      batches.push(args.input as (typeof batches)[number]);
      const refused = batches.length === 3 ? [{}, { ErrorCode: 'ThrottlingException' }] : [];
      return { output: { $metadata: {}, Entries: refused }, response: {} };
    },
    { step: 'initialize' },
  );
  const event = (await told(await life())).events[0];
  if (event === undefined) throw new Error('no event');
  const events = Array.from({ length: 24 }, (_, attempt) => ({ ...event, attempt }));
  expect(await new EventBus(client, 'bus').put(events)).toBe(21);
  expect(batches.map(({ Entries }) => Entries.length)).toEqual([10, 10, 4]);
  expect(batches[0]?.Entries[0]).toMatchObject({ Source: 'belfry', DetailType: 'Belfry Run State Change' });
});
