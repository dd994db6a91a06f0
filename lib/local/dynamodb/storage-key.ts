import dynalite, { type DynaliteTable } from 'dynalite/db/index.js';
import { itemsOf } from './dynamodb-store.ts';
import type { AttributeValue, Item } from './expression/attribute-value.ts';

const MOST_REMEMBERED = 10_000;
/** Digests are most of the work, and few partitions are asked for again and again. */
const partitions = new Map<string, string>();

/** What the storage keys of all items with this partition key begin with, after the table's own part. */
export function partitionOf(type: string, value: string): string {
  const id = `${type}${value}`;
  let partition = partitions.get(id);
  if (partition === undefined) {
    partition = `${dynalite.hashPrefix(value, type)}/${dynalite.toRangeStr(value, type)}/`;
    if (partitions.size >= MOST_REMEMBERED) partitions.clear();
    partitions.set(id, partition);
  }
  return partition;
}

/** Under which key dynalite keeps the item that has these (valid) key attributes. */
export function storageKey(table: DynaliteTable, item: Item): string {
  let key = itemsOf(table.TableName);
  for (const [index, name] of keyNames(table).entries()) {
    const type = keyType(table, name);
    const value = scalar(item[name], type) ?? '';
    key += index === 0 ? partitionOf(type, value) : `${dynalite.toRangeStr(value, type)}/`;
  }
  return key;
}

export function keyNames({ KeySchema }: DynaliteTable): string[] {
  return KeySchema.map(({ AttributeName }) => AttributeName);
}

export function keyType({ AttributeDefinitions }: DynaliteTable, name: string): 'S' | 'N' | 'B' {
  return AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? 'S';
}

/** The key attributes of an item. */
export function keyOf(table: DynaliteTable, item: Item): Item {
  return Object.fromEntries(keyNames(table).flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}

function scalar(value: AttributeValue | undefined, type: 'S' | 'N' | 'B'): string | undefined {
  return value?.[type];
}
