import { BelfryError } from '../../domain/errors.ts';
import type { TableResource } from '../assembly/resources.ts';
import type { DynamoDbEngine } from './dynamodb-engine.ts';

interface Description {
  readonly Table?: {
    readonly KeySchema?: readonly object[];
    readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[];
  };
}

/**
 * Creates the tables that do not exist yet. One that exists keeps its data.
 * @throws BelfryError `TableChanged` when the one on disk has other keys.
 */
export async function createTables(engine: DynamoDbEngine, tables: readonly TableResource[]): Promise<void> {
  for (const { name, create } of tables) {
    const existing = await engine.call('DescribeTable', JSON.stringify({ TableName: name }));
    if (existing.status !== 200) {
      const created = await engine.call('CreateTable', JSON.stringify(create));
      if (created.status !== 200)
        throw new BelfryError('TableRefused', `table '${name}' cannot be created: ${messageOf(created.body)}`);
      continue;
    }
    const { Table: table = {} } = JSON.parse(existing.body) as Description;
    if (keysOf(table.KeySchema ?? []) !== keysOf((create.KeySchema ?? []) as readonly object[])) {
      throw new BelfryError(
        'TableChanged',
        `table '${name}' is on disk with other keys than the app declares now: start with --fresh, which deletes this environment's data`,
      );
    }
  }
}

function keysOf(keySchema: readonly object[]): string {
  return keySchema.map((key) => JSON.stringify(Object.entries(key).sort())).join();
}

function messageOf(body: string): string {
  try {
    return String((JSON.parse(body) as { message?: unknown }).message ?? body);
  } catch {
    return body;
  }
}
