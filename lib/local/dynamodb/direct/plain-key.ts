import type { DynaliteTable } from 'dynalite/db/index.js';
import type { Item } from '../expression/attribute-value.ts';
import { isPlainKey } from '../plain-value.ts';
import { keyNames, keyType, storageKey } from '../storage-key.ts';

/** The storage key of an item, or of a key as given; undefined when it is not without doubt a valid one. */
export function plainKey(table: DynaliteTable, from: Item | undefined, exactly: boolean): string | undefined {
  if (typeof from !== 'object' || from === null) return undefined;
  const names = keyNames(table);
  if (exactly && Object.keys(from).length !== names.length) return undefined;
  return names.every((name) => isPlainKey(from[name], keyType(table, name))) ? storageKey(table, from) : undefined;
}
