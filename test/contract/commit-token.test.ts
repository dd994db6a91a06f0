import type { DynamoDBClient, TransactWriteItem, TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import type { Claim } from '../../lib/domain/run/run-record.ts';

const T0 = Date.parse('2026-11-02T13:00:00Z');
const claim: Claim = {
  job: 'sync',
  scheduledTime: T0,
  fencingToken: 1,
  claimToken: 'A',
  attempt: 1,
  claimedAt: T0,
  leaseExpiresAt: T0 + 60_000,
  trigger: 'schedule',
  segments: 0,
};
const put = (...bytes: readonly number[]): TransactWriteItem => ({
  Put: { TableName: 'effects', Item: { pk: { S: 'a' }, body: { B: Uint8Array.from(bytes) } } },
});

/** The token that a commit is sent under. */
async function tokenOf(effect: TransactWriteItem, { result = '1', now = T0, of = claim } = {}): Promise<string> {
  const sent: TransactWriteItemsCommandInput[] = [];
  const client = { send: async ({ input }: { input: TransactWriteItemsCommandInput }) => void sent.push(input) };
  await new DynamoDbRunStore(client as unknown as DynamoDBClient, 'runs').commit(of, [effect], result, now);
  return sent[0]?.ClientRequestToken ?? '';
}

test('a commit that is sent again is the same transaction, any other one is another', async () => {
  const token = await tokenOf(put(1, 2));
  expect(token).toMatch(/^[\w-]{36}$/);
  expect(await tokenOf(put(1, 2))).toBe(token);
  const others = [
    tokenOf(put(1, 3)),
    tokenOf(put(1, 2), { result: '2' }),
    tokenOf(put(1, 2), { now: T0 + 1 }),
    tokenOf(put(1, 2), { of: { ...claim, claimToken: 'B' } }),
    tokenOf(put(1, 2), { of: { ...claim, scheduledTime: T0 + 1_000 } }),
  ];
  expect(new Set([token, ...(await Promise.all(others))]).size).toBe(6);
});
