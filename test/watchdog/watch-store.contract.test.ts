import { describe, expect, onTestFinished, test } from 'vitest';
import { DynamoDbWatchStore } from '../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import type { WatchStore } from '../../lib/domain/watch/ports.ts';
import type { RosterEntry, WatchState } from '../../lib/domain/watch/watch-state.ts';
import { startDynamoDb } from '../support/dynamodb-server.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { MemoryWatchStore } from '../support/memory-watch-store.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');

const STATE: WatchState = {
  sweptAt: NOON,
  epochs: [{ roster: 'a', from: NOON, before: NOON }],
  open: [{ job: 'sync', scheduledTime: NOON, startBy: NOON + 120_000, maxAttempts: 3 }],
  effectiveFrom: { sync: NOON },
  pauses: { sync: NOON + 3_600_000 },
  incidents: {
    sync: { since: NOON, kind: 'failed', scheduledTime: NOON, urgency: 'ticket', toldAt: NOON, count: 2 },
  },
  version: 1,
};

const roster = (count: number): RosterEntry[] =>
  Array.from({ length: count }, (_, index) => {
    const { name: _name, timeoutMs: _timeout, ...entry } = jobDefinition();
    return { ...entry, name: `job-${index}` };
  });

const STORES: [string, () => Promise<WatchStore>][] = [
  ['memory', async () => new MemoryWatchStore()],
  [
    'DynamoDB',
    async () => {
      const server = await startDynamoDb();
      onTestFinished(() => server[Symbol.asyncDispose]());
      await server.createTable('run-table');
      return new DynamoDbWatchStore(server.client(), 'run-table');
    },
  ],
];

describe.each(STORES)('watch store: %s', (_, open) => {
  test('there is no state before the first sweep', async () => {
    const store = await open();
    expect(await store.load()).toBeUndefined();
    expect(await store.loadRoster('a')).toEqual([]);
  });

  test('a state comes back as it was saved', async () => {
    const store = await open();
    expect(await store.save(STATE)).toBe(true);
    expect(await store.load()).toEqual(STATE);
    const next = { ...STATE, sweptAt: NOON + 60_000, open: [], effectiveFrom: {}, version: 2 };
    expect(await store.save(next)).toBe(true);
    expect(await store.load()).toEqual(next);
  });

  test('of many watchdogs that save at once one does', async () => {
    const store = await open();
    const first = await Promise.all(Array.from({ length: 8 }, () => store.save(STATE)));
    expect(first.filter(Boolean)).toHaveLength(1);
    const second = await Promise.all(
      Array.from({ length: 8 }, (_, n) => store.save({ ...STATE, version: 2, sweptAt: NOON + n })),
    );
    expect(second.filter(Boolean)).toHaveLength(1);
    expect(await store.save({ ...STATE, version: 2 })).toBe(false);
  });

  test('rosters are kept apart by digest, and forgotten when no longer named', async () => {
    const store = await open();
    await store.saveRoster('a', roster(1_200));
    await store.saveRoster('b', roster(3));
    expect(await store.loadRoster('a')).toEqual(roster(1_200));
    expect(await store.loadRoster('b')).toEqual(roster(3));
    await store.keepRosters(['b']);
    expect(await store.loadRoster('a')).toEqual([]);
    expect(await store.loadRoster('b')).toEqual(roster(3));
  });

  test.each([500, 30_000])('a state with %d open occurrences fits', async (count) => {
    const store = await open();
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
      expect(JSON.stringify((await store.load())?.open) === JSON.stringify(many)).toBe(true);
    }
    expect(await store.save({ ...STATE, open: many, version: 3 })).toBe(false);
    await store.load();
    expect(await store.save({ ...STATE, version: 4 })).toBe(true);
    expect(await store.load()).toEqual({ ...STATE, version: 4 });
  });
});
