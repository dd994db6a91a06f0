import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { DynamoDbOperatorStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-operator-store.ts';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import type { Ending } from '../../lib/domain/ports.ts';
import type { Claim } from '../../lib/domain/run/run-record.ts';
import { MemoryDynamoDb } from '../support/memory-dynamodb.ts';

const WRITE_UNIT = 1_024;
const T0 = Date.parse('2026-11-02T13:00:00Z');
const key = { job: 'j'.repeat(48), scheduledTime: T0 };
const long = 'é'.repeat(5_000);

/** A run with everything that a record can hold, at its longest. */
async function fullRun({ requested = false } = {}) {
  const table = new MemoryDynamoDb();
  const send = async (command: Parameters<typeof table.apply>[0]) => table.apply(command);
  const client = { send } as unknown as DynamoDBClient;
  const store = new DynamoDbRunStore(client, 'runs');
  if (requested) {
    const operator = new DynamoDbOperatorStore(client, 'runs');
    expect(await operator.request(key, { by: long, note: long, trigger: 'backfill' }, T0)).toBe(true);
  }
  const request = { ...key, now: T0, leaseExpiresAt: T0 + 900_000, deadBefore: T0, maxAttempts: 99 };
  const answer = await store.claim({
    ...request,
    claimToken: 't'.repeat(23),
    trigger: 'schedule',
    revision: 'r'.repeat(12),
  });
  if (answer.outcome !== 'claimed') throw new Error(answer.outcome);
  const { claim } = answer;
  await store.renew(
    claim,
    { leaseExpiresAt: T0, checkpoint: { text: 'c'.repeat(700), number: 999 }, progress: '999999999/999999999' },
    T0,
  );
  await store.requestCancel({ ...key, status: 'running', fencingToken: 1, attempts: 1, trigger: 'schedule' }, T0);
  return { store, claim, size: () => sizeOf(table.items('runs')[0] ?? {}) };
}

/** As DynamoDB bills it: names and texts in bytes, numbers with about one byte for two digits. */
function sizeOf(item: Readonly<Record<string, { readonly S?: string; readonly N?: string }>>): number {
  const sizes = Object.entries(item).map(
    ([name, { S, N }]) => name.length + (S === undefined ? Math.ceil((N ?? '').length / 2) + 1 : Buffer.byteLength(S)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const ENDINGS: readonly Ending[] = [
  { status: 'succeeded', result: long },
  { status: 'failed', error: long },
  { status: 'failed', error: long, cause: long },
  { status: 'timedOut', error: long, cause: long },
  { status: 'skipped', cause: long },
];

test.each(ENDINGS)('a run that ended as $status fits one write unit, whatever it says', async (ending) => {
  const { store, claim, size } = await fullRun();
  expect(await store.end(claim, ending, T0)).toBe('written');
  expect(size()).toBeLessThanOrEqual(WRITE_UNIT);
});

test.each(ENDINGS)('one that a person asked for as well: $status', async (ending) => {
  const { store, claim, size } = await fullRun({ requested: true });
  expect(await store.end(claim, ending, T0)).toBe('written');
  expect(size()).toBeLessThanOrEqual(WRITE_UNIT);
});

test('so does one that was closed by another', async () => {
  const { store, claim, size } = await fullRun();
  expect(await store.close(running(claim), { cause: long, deadBefore: T0 + 1 }, T0)).toBe(true);
  expect(size()).toBeLessThanOrEqual(WRITE_UNIT);
});

test('and one at work that has saved 700 bytes', async () => {
  const { size } = await fullRun();
  expect(size()).toBeLessThanOrEqual(WRITE_UNIT);
});

function running(claim: Claim) {
  return { ...key, status: 'running' as const, fencingToken: claim.fencingToken, attempts: 1, trigger: claim.trigger };
}
