import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlainLevel } from 'dynalite/db/index.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DynaliteEngine } from '../../../lib/local/dynamodb/dynalite-engine.ts';
import { DynamoDbEndpoint } from '../../../lib/local/dynamodb/dynamodb-endpoint.ts';
import { DynamoDbStore } from '../../../lib/local/dynamodb/dynamodb-store.ts';
import type { Body } from '../../../lib/local/dynamodb/front-types.ts';
import { endpointEngine } from '../../../localstack/differential/engines.ts';
import { createRunTable } from '../../support/dynamodb-server.ts';
import { eventually } from '../../support/eventually.ts';

const TableName = 'things';
let folder = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-dynamodb-'));
  const store = await DynamoDbStore.open(folder);
  await new DynaliteEngine(store).call('CreateTable', { ...createRunTable(TableName).input });
  await eventually(() => expect(store.table(TableName)).toBeDefined());
  await store.close();
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** The number in each item, by partition. */
async function stored(): Promise<Record<string, number[]>> {
  const store = await DynamoDbStore.open(folder);
  const found: Record<string, number[]> = {};
  for await (const { pk, n } of store.items(TableName)) {
    const partition = pk?.S ?? '';
    found[partition] = [...(found[partition] ?? []), Number(n?.N)];
  }
  await store.close();
  return found;
}

interface Told {
  readonly what: string;
  readonly n: number;
}

/** Lets a process write until it dies in the middle of a write. Returns its last answers. */
async function writeUntilKilled(from: number, deadly: number): Promise<Record<string, number>> {
  const child = fork(join(import.meta.dirname, 'writing-process.ts'), [folder, String(from), String(deadly)]);
  const last: Record<string, number> = {};
  child.on('message', ({ what, n }: Told) => {
    last[what] = n;
  });
  const signal = await new Promise((resolve) => child.once('close', (_, killedBy) => resolve(killedBy)));
  expect(signal).toBe('SIGKILL');
  return last;
}

test('a process killed while it writes has kept all that was answered, and transactions whole', async () => {
  let from = 1;
  for (const deadly of [1, 2, 7, 50]) {
    const last = await writeUntilKilled(from, deadly);
    const { transaction = [], single = [] } = await stored();
    expect([0, 20]).toContain(transaction.length);
    expect(new Set(transaction).size).toBeLessThanOrEqual(1);
    expect(transaction[0] ?? 0).toBeGreaterThanOrEqual(last.transaction ?? 0);
    expect(single[0] ?? 0).toBeGreaterThanOrEqual(last.single ?? 0);
    from = (transaction[0] ?? 0) + 1;
  }
  expect(from).toBeGreaterThan(25);
});

test('on a full disk requests fail as on AWS, one message says so, and writing goes on once there is space', async () => {
  const told: string[] = [];
  const endpoint = await DynamoDbEndpoint.start({
    path: folder,
    now: () => Date.parse('2026-11-01T00:00:00Z'),
    onTrouble: (level, text) => told.push(`${level}: ${text}`),
  });
  const ask = endpointEngine(endpoint.url, 'us-east-1');
  const item = (sk: string) => ({ pk: { S: 'p' }, sk: { S: sk } });
  const put = (sk: string) => ask('PutItem', { TableName, Item: item(sk) });
  const transact = (...keys: string[]) =>
    ask('TransactWriteItems', { TransactItems: keys.map((sk) => ({ Put: { TableName, Item: item(sk) } })) });
  expect((await put('before')).status).toBe(200);
  const full = await fillDisk();
  const failed = [await put('a'), await transact('b', 'c'), await put('a')];
  for (const { status, body } of failed) {
    expect(status).toBe(500);
    expect(body).toEqual({
      __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
      message: expect.stringContaining('No space left on device'),
    });
  }
  expect(told).toEqual([expect.stringMatching(/^error: the tables in .* cannot be written: .*free some space/)]);
  expect(told[0]).toContain(folder);
  const read = await ask('Query', allOf('p'));
  expect((read.body.Items as Body[]).map(({ sk }) => sk)).toEqual([{ S: 'before' }]);
  full.mockRestore();
  expect((await transact('d', 'e')).status).toBe(200);
  expect((await put('f')).status).toBe(200);
  expect(told.slice(1)).toEqual([expect.stringMatching(/^warn: the tables in .* can be written again/)]);
  await endpoint.close();
  expect(Object.keys(await stored())).toEqual(['p']);
  expect((await stored()).p).toHaveLength(4);
});

const allOf = (pk: string) => ({
  TableName,
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': { S: pk } },
});

/** Every write of every LevelDB fails from now on. */
async function fillDisk() {
  const elsewhere = mkdtempSync(join(tmpdir(), 'belfry-dynamodb-'));
  const store = await DynamoDbStore.open(elsewhere);
  const level = Object.getPrototypeOf(store.forDynalite.db) as PlainLevel;
  await store.close();
  rmSync(elsewhere, { recursive: true });
  return vi.spyOn(level, 'batch').mockRejectedValue(new Error('IO error: 000005.log: No space left on device'));
}
