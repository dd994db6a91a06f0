import type { DynamoDbStore } from '../dynamodb-store.ts';
import type { Item } from '../expression/attribute-value.ts';
import type { Answer, Body } from '../front-types.ts';
import { plainKey } from './plain-key.ts';

const MOST_KEYS = 100;
/** Below this the answer is whole: DynamoDB cuts it at 1 MB, which it counts in its own way. */
export const LARGEST_ANSWER = 512 * 1024;

interface BatchOfTable {
  readonly Keys?: readonly Item[];
  readonly ConsistentRead?: unknown;
}

/** Undefined when only dynalite can say what is to be answered. */
export function directGet(store: DynamoDbStore, { TableName, Key }: Body): Answer | undefined {
  const table = store.table(String(TableName));
  const key = table && plainKey(table, Key as Item, true);
  if (key === undefined) return undefined;
  const item = store.get(key);
  return { status: 200, body: item === undefined ? {} : { Item: item } };
}

/** Undefined when only dynalite can say what is to be answered. */
export function directBatchGet(store: DynamoDbStore, { RequestItems }: Body): Answer | undefined {
  const responses: Record<string, Item[]> = {};
  const seen = new Set<string>();
  let size = 0;
  for (const [tableName, batch] of Object.entries((RequestItems ?? {}) as Record<string, BatchOfTable>)) {
    const table = store.table(tableName);
    const { Keys, ConsistentRead = false, ...more } = batch;
    if (table === undefined || !Array.isArray(Keys) || typeof ConsistentRead !== 'boolean') return undefined;
    if (Object.keys(more).length > 0 || Keys.length === 0) return undefined;
    const found: Item[] = [];
    for (const one of Keys as readonly Item[]) {
      const key = plainKey(table, one, true);
      if (key === undefined || seen.has(key) || seen.size === MOST_KEYS) return undefined;
      seen.add(key);
      const json = store.json(key);
      if (json !== undefined) found.push(JSON.parse(json) as Item);
      size += json?.length ?? 0;
    }
    responses[tableName] = found;
  }
  if (seen.size === 0 || size > LARGEST_ANSWER) return undefined;
  return { status: 200, body: { Responses: responses, UnprocessedKeys: {} } };
}
