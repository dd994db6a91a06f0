import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DynamoDbRequestBook } from '../../lib/adapters/dynamodb-watch-store/dynamodb-request-book.ts';
import { DynamoDbWatchStore } from '../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import type { OccurrenceKey } from '../../lib/domain/contract/occurrence-key.ts';
import { STATE_SORT_KEY, WATCHDOG_PARTITION } from '../../lib/domain/contract/run-table-keys.ts';
import type { WatchStore } from '../../lib/domain/watch/ports.ts';
import type { RosterEntry, WatchState } from '../../lib/domain/watch/watch-state.ts';
import { startDynamoDb } from '../support/dynamodb-server.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { MemoryWatchStore } from '../support/memory-watch-store.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');

const STATE: WatchState = {
  sweptAt: NOON,
  lastAt: NOON,
  epochs: [{ roster: 'a', from: NOON, before: NOON }],
  open: [{ job: 'sync', scheduledTime: NOON, startBy: NOON + 120_000, maxAttempts: 3 }],
  effectiveFrom: { sync: NOON },
  pauses: { sync: NOON + 3_600_000 },
  incidents: [
    {
      job: 'sync',
      kind: 'failed',
      id: 'failed-1',
      since: NOON,
      scheduledTime: NOON,
      badAt: NOON,
      toldAt: NOON,
      count: 2,
    },
  ],
  version: 1,
};

/** In the order of their keys. */
const asked = (index: number) => ({ job: `job-${String(index).padStart(4, '0')}`, scheduledTime: NOON });

const roster = (count: number): RosterEntry[] =>
  Array.from({ length: count }, (_, index) => {
    const { name: _name, timeoutMs: _timeout, ...entry } = jobDefinition();
    return { ...entry, name: `job-${index}` };
  });

interface Opened {
  readonly store: WatchStore;
  ask(keys: readonly OccurrenceKey[]): Promise<void>;
}

const STORES: [string, () => Promise<Opened>][] = [
  [
    'memory',
    async () => {
      const store = new MemoryWatchStore();
      return {
        store,
        ask: async (keys) => {
          store.requested = keys;
        },
      };
    },
  ],
  ['DynamoDB', async () => onDynamoDb()],
];

async function onDynamoDb() {
  const server = await startDynamoDb();
  onTestFinished(() => server[Symbol.asyncDispose]());
  await server.createTable('run-table');
  const client = server.client();
  const book = new DynamoDbRequestBook(client, 'run-table');
  return {
    server,
    store: new DynamoDbWatchStore(client, 'run-table'),
    ask: async (keys: readonly OccurrenceKey[]) => {
      await Promise.all(keys.map((key) => book.add(key, NOON)));
    },
  };
}

describe.each(STORES)('watch store: %s', (_, open) => {
  test('there is no state before the first sweep', async () => {
    const { store } = await open();
    expect(await store.load()).toEqual({ state: undefined, requested: [] });
    expect(await store.loadRoster('a')).toEqual([]);
  });

  test('a state comes back as it was saved', async () => {
    const { store } = await open();
    expect(await store.save(STATE)).toBe(true);
    expect((await store.load()).state).toEqual(STATE);
    const next = { ...STATE, sweptAt: NOON + 60_000, open: [], effectiveFrom: {}, version: 2 };
    expect(await store.save(next)).toBe(true);
    expect((await store.load()).state).toEqual(next);
  });

  test('of many watchdogs that save at once one does', async () => {
    const { store } = await open();
    const first = await Promise.all(Array.from({ length: 8 }, () => store.save(STATE)));
    expect(first.filter(Boolean)).toHaveLength(1);
    const second = await Promise.all(
      Array.from({ length: 8 }, (_, n) => store.save({ ...STATE, version: 2, sweptAt: NOON + n })),
    );
    expect(second.filter(Boolean)).toHaveLength(1);
    expect(await store.save({ ...STATE, version: 2 })).toBe(false);
  });

  test('rosters are kept apart by digest, and forgotten when no longer named', async () => {
    const { store } = await open();
    await store.saveRoster('a', roster(1_200));
    await store.saveRoster('b', roster(3));
    expect(await store.loadRoster('a')).toEqual(roster(1_200));
    expect(await store.loadRoster('b')).toEqual(roster(3));
    await store.keepRosters(['b']);
    expect(await store.loadRoster('a')).toEqual([]);
    expect(await store.loadRoster('b')).toEqual(roster(3));
  });

  test.each([500, 30_000])('a state with %d open occurrences fits', async (count) => {
    const { store } = await open();
    const many = Array.from({ length: count }, (_, index) => ({
      job: `job-${(index * 7919) % 10_007}-${Math.imul(index, 2654435761) >>> 0}`,
      scheduledTime: NOON + Math.imul(index, 40503) * 1_000,
      startBy: NOON + index,
      maxAttempts: 3,
    }));
    expect(await store.save(STATE)).toBe(true);
    for (const version of [2, 3]) {
      await store.load();
      expect(await store.save({ ...STATE, open: many, version })).toBe(true);
      expect(JSON.stringify((await store.load()).state?.open) === JSON.stringify(many)).toBe(true);
    }
    expect(await store.save({ ...STATE, open: many, version: 3 })).toBe(false);
    await store.load();
    expect(await store.save({ ...STATE, version: 4 })).toBe(true);
    expect((await store.load()).state).toEqual({ ...STATE, version: 4 });
  });

  test('what people asked for is found with the state or without, until it is forgotten', async () => {
    const { store, ask } = await open();
    const [early, late] = [asked(1), asked(2)];
    await ask([early, late]);
    expect(await store.load()).toEqual({ state: undefined, requested: [early, late] });
    await store.saveRoster('a', roster(3));
    expect(await store.save(STATE)).toBe(true);
    expect(await store.load()).toEqual({ state: STATE, requested: [early, late] });
    await store.forgetRequested([early]);
    expect(await store.load()).toEqual({ state: STATE, requested: [late] });
  });
});

describe('on DynamoDB', () => {
  test('a state that a newer release wrote is refused in words', async () => {
    const { server, store } = await onDynamoDb();
    await store.save(STATE);
    const key = { pk: { S: WATCHDOG_PARTITION }, sk: { S: STATE_SORT_KEY } };
    const command = new UpdateItemCommand({
      TableName: 'run-table',
      Key: key,
      UpdateExpression: 'SET #contract = :newer',
      ExpressionAttributeNames: { '#contract': 'contract' },
      ExpressionAttributeValues: { ':newer': { N: '2' } },
    });
    await server.client().send(command);
    await expect(store.load()).rejects.toThrow(
      /the watchdog's state has version 2, this release of cdk-belfry reads up to 1/,
    );
  });

  const keys = Array.from({ length: 1_010 }, (_, index) => asked(index));

  test('the state and what people asked for cost one request, whatever else lies beside them', async () => {
    const { server, store, ask } = await onDynamoDb();
    await ask(keys.slice(0, 20));
    await store.saveRoster('a', roster(3));
    await store.save(STATE);
    server.operations.length = 0;
    expect(await store.load()).toEqual({ state: STATE, requested: keys.slice(0, 20) });
    expect(server.operations).toEqual(['Query']);
  });

  test.each([
    [1, 1_001],
    [2, 600],
    [334, 3],
  ])('a thousand requests at a time, in %d pages', async (pages, perPage) => {
    const { server, store, ask } = await onDynamoDb();
    await ask(keys);
    server.fate = (operation, body) => {
      if (operation === 'Query') body.Limit = Math.min(perPage, Number(body.Limit));
      return 'deliver';
    };
    expect(await store.load()).toEqual({ state: undefined, requested: keys.slice(0, 1_000) });
    await store.save(STATE);
    server.operations.length = 0;
    expect(await store.load()).toEqual({ state: STATE, requested: keys.slice(0, 1_000) });
    expect(server.operations).toHaveLength(pages);
    await store.forgetRequested(keys.slice(0, 1_000));
    expect((await store.load()).requested).toEqual(keys.slice(1_000));
  });
});
