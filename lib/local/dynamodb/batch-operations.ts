import dynalite, { type BatchOperation, type DynaliteIndex } from 'dynalite/db/index.js';
import type { Change } from './dynamodb-store.ts';

/** What is written to LevelDB for a change: the item, and what it is in indexes. */
export function operationsOf({ table, key, before, after, json }: Change): BatchOperation[] {
  const operations = [json === undefined ? del(key) : put(key, json)];
  const indexes: [string, readonly DynaliteIndex[] | undefined][] = [
    ['local', table.LocalSecondaryIndexes],
    ['global', table.GlobalSecondaryIndexes],
  ];
  for (const [kind, list] of indexes) {
    if (list === undefined) continue;
    const keyOf = (index: string, inside: string) => `index-${kind}~${table.TableName}~${index}~${inside}`;
    const { puts, deletes } = dynalite.getIndexActions(list, before, after, table);
    for (const one of deletes) operations.push(del(keyOf(one.index, one.key)));
    for (const one of puts) operations.push(put(keyOf(one.index, one.key), JSON.stringify(one.item)));
  }
  return operations;
}

function put(key: string, value: string): BatchOperation {
  return { type: 'put', key, value, valueEncoding: 'utf8' };
}

function del(key: string): BatchOperation {
  return { type: 'del', key };
}
