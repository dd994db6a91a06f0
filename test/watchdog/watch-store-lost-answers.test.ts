import { describe, expect, onTestFinished, test } from 'vitest';
import { DynamoDbWatchStore } from '../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import type { RosterEntry, WatchState } from '../../lib/domain/watch/watch-state.ts';
import { type DynamoDbServer, startDynamoDb } from '../support/dynamodb-server.ts';
import { jobDefinition } from '../support/job-definition.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const TABLE = 'run-table';
/** So many open occurrences make a state of several parts. */
const LARGE = 30_000;

function stateOf(version: number, count: number): WatchState {
  return {
    sweptAt: NOON + version * 60_000,
    lastAt: NOON + version * 60_000,
    epochs: [{ roster: 'a', from: NOON, before: NOON }],
    open: Array.from({ length: count }, (_, index) => ({
      job: `job-${(index * 7919) % 10_007}-${Math.imul(index + version, 2654435761) >>> 0}`,
      scheduledTime: NOON + Math.imul(index, 40503) * 1_000,
      startBy: NOON + index,
      maxAttempts: 3,
    })),
    effectiveFrom: {},
    pauses: {},
    incidents: [],
    version,
  };
}

async function open(options: Parameters<typeof startDynamoDb>[0] = {}) {
  const server = await startDynamoDb(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  await server.createTable(TABLE);
  return { server, store: () => new DynamoDbWatchStore(server.client(), TABLE) };
}

/** From now on the answer to the n-th request is lost; the SDK asks again. */
function loseAnswer(server: DynamoDbServer, n: number): () => boolean {
  let asked = 0;
  server.fate = () => (++asked === n ? 'loseResponse' : 'deliver');
  return () => asked < n;
}

async function partKeys(server: DynamoDbServer): Promise<readonly string[]> {
  const { body } = await server.front.handle('Scan', { TableName: TABLE });
  const items = body.Items as readonly { readonly sk: { readonly S: string } }[];
  return items.map(({ sk }) => sk.S).filter((sk) => sk.startsWith('part#'));
}

describe.each([
  ['an error that shows what stands', {}],
  ['an error that does not', { hideReturnedItems: true }],
])('a lost answer, and %s', (_, options) => {
  test.each([
    ['small', 3],
    ['large', LARGE],
  ])(
    'a %s state: whichever request it is, the save was done and the state is whole',
    async (_, count) => {
      for (let n = 1; ; n++) {
        const { server, store } = await open(options);
        const watchdog = store();
        await watchdog.save(stateOf(1, count));
        await watchdog.load();
        const isOver = loseAnswer(server, n);
        expect(await watchdog.save(stateOf(2, count)), `request ${n}`).toBe(true);
        expect((await watchdog.load()).state?.version).toBe(2);
        expect(await watchdog.save(stateOf(3, count)), `request ${n}`).toBe(true);
        if (isOver()) return;
        server.fate = () => 'deliver';
        expect((await store().load()).state, `request ${n}`).toEqual(stateOf(3, count));
      }
    },
    60_000,
  );

  test('two saves of one sweep follow each other', async () => {
    for (let n = 1; n <= 3; n++) {
      const { server, store } = await open(options);
      const watchdog = store();
      await watchdog.save(stateOf(1, 3));
      loseAnswer(server, n);
      expect([await watchdog.save(stateOf(2, 3)), await watchdog.save(stateOf(3, 3))]).toEqual([true, true]);
      expect((await store().load()).state?.version).toBe(3);
    }
  });

  test('who really lost the race is told so, and leaves nothing behind', async () => {
    const { server, store } = await open(options);
    const [winner, loser] = [store(), store()];
    await winner.save(stateOf(1, LARGE));
    await loser.load();
    expect(await winner.save(stateOf(2, LARGE))).toBe(true);
    const kept = await partKeys(server);
    expect(await loser.save(stateOf(2, LARGE))).toBe(false);
    expect(await partKeys(server)).toEqual(kept);
    expect((await store().load()).state).toEqual(stateOf(2, LARGE));
  });
});

test('parts that cannot be deleted, and those of a sweep that was killed, are no error and go at the next deployment', async () => {
  const { server, store } = await open();
  const watchdog = store();
  await watchdog.save(stateOf(1, LARGE));
  server.fate = (operation, body) => {
    const isPart = JSON.stringify(body.Key ?? body.Item).includes('part#');
    return operation === 'DeleteItem' && isPart ? 'loseRequest' : 'deliver';
  };
  expect(await watchdog.save(stateOf(2, LARGE))).toBe(true);
  server.fate = () => 'deliver';
  const inAll = (await partKeys(server)).length;
  await watchdog.keepRosters([]);
  expect(await partKeys(server)).toHaveLength(inAll / 2);
  expect((await store().load()).state).toEqual(stateOf(2, LARGE));
});

test('a roster is cut by its size', async () => {
  const { store } = await open();
  const schedule = Array.from({ length: 20 }, (_, n) => `${n} ${n % 24} 1-15,${16 + (n % 10)} 1,3,5,7,9,11 1-5`);
  const { timeoutMs: _, ...entry } = jobDefinition();
  const roster: RosterEntry[] = Array.from({ length: 1_000 }, (_, n) => ({ ...entry, name: `job-${n}`, schedule }));
  await store().saveRoster('a', roster);
  expect(await store().loadRoster('a')).toEqual(roster);
});
