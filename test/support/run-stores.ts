import { GetItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { MemoryRunStore } from '../../lib/adapters/memory-run-store/memory-run-store.ts';
import type { RunStore, WatchdogRunStore } from '../../lib/domain/ports.ts';
import { startDynamoDb } from './dynamodb-server.ts';

/** A store of runs, with effects that can be counted, for tests that must hold for every kind of store. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: RunStore<TransactWriteItem> & WatchdogRunStore;
  /** An effect that counts how often it was applied. */
  effect(id: string): TransactWriteItem;
  /** An effect whose own condition fails. */
  readonly refusedEffect: TransactWriteItem;
  timesApplied(id: string): Promise<number>;
}

const EFFECTS = 'effects';

const effect = (id: string): TransactWriteItem => ({
  Update: {
    TableName: EFFECTS,
    Key: { pk: { S: id }, sk: { S: '$' } },
    UpdateExpression: 'ADD #n :one',
    ExpressionAttributeNames: { '#n': 'n' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  },
});

const refusedEffect: TransactWriteItem = {
  ConditionCheck: {
    TableName: EFFECTS,
    Key: { pk: { S: 'absent' }, sk: { S: '$' } },
    ConditionExpression: 'attribute_exists(pk)',
  },
};

export const STORES: readonly (readonly [name: string, start: () => Promise<StoreUnderTest>])[] = [
  ['memory', startMemoryStore],
  ['DynamoDB', () => startDynamoDbStore(false)],
];

/** With a store that keeps the refusing item to itself. */
export const ALL_STORES = [...STORES, ['DynamoDB without returned items', () => startDynamoDbStore(true)] as const];

async function startMemoryStore(): Promise<StoreUnderTest> {
  const store = new MemoryRunStore<TransactWriteItem>({
    applyEffects: (effects) =>
      effects.includes(refusedEffect)
        ? effects.map((one) => (one === refusedEffect ? 'ConditionalCheckFailed' : 'None'))
        : undefined,
  });
  return {
    store,
    effect,
    refusedEffect,
    timesApplied: async (id) => store.effects.filter(({ Update }) => Update?.Key?.pk?.S === id).length,
    async [Symbol.asyncDispose]() {},
  };
}

async function startDynamoDbStore(hideReturnedItems: boolean): Promise<StoreUnderTest> {
  const server = await startDynamoDb({ hideReturnedItems });
  await Promise.all([server.createTable('runs'), server.createTable(EFFECTS)]);
  const client = server.client();
  return {
    store: new DynamoDbRunStore(client, 'runs'),
    effect,
    refusedEffect,
    async timesApplied(id) {
      const Key = { pk: { S: id }, sk: { S: '$' } };
      const { Item } = await client.send(new GetItemCommand({ TableName: EFFECTS, Key, ConsistentRead: true }));
      return Number(Item?.n?.N ?? 0);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
