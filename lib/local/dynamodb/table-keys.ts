import type { DynaliteTable } from 'dynalite/db/index.js';
import type { DynamoDbStore } from './dynamodb-store.ts';
import type { AttributeValue, Item } from './expression/attribute-value.ts';
import { ApiError, invalid } from './front-types.ts';
import { keyNames, keyType, storageKey } from './storage-key.ts';

/** What dynalite can read as a number. */
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Which item of which table a request is about. */
export interface Place {
  readonly table: DynaliteTable;
  readonly key: Item;
  /** Where it is stored; two places are the same exactly if this is. */
  readonly storageKey: string;
}

/** Finds the items that requests are about. */
export class TableKeys {
  readonly #store: DynamoDbStore;

  constructor(store: DynamoDbStore) {
    this.#store = store;
  }

  /**
   * The place of an item, or of a key as given.
   * @param exactly whether there may be nothing but the key
   * @throws ApiError
   */
  placeOf(tableName: string, from: Item, exactly: boolean): Place {
    const table = this.#store.table(tableName);
    if (table === undefined) throw new ApiError('ResourceNotFoundException', 'Requested resource not found');
    const names = keyNames(table);
    if (exactly && Object.keys(from).length !== names.length)
      throw invalid('The provided key element does not match the schema');
    const key: Record<string, AttributeValue> = {};
    for (const name of names) key[name] = keyAttribute(name, keyType(table, name), from[name], exactly);
    return { table, key, storageKey: storageKey(table, key) };
  }
}

function keyAttribute(
  name: string,
  type: 'S' | 'N' | 'B',
  value: AttributeValue | undefined,
  exactly: boolean,
): AttributeValue {
  if (value === undefined) {
    throw invalid(
      exactly
        ? 'The provided key element does not match the schema'
        : `One or more parameter values were invalid: Missing the key ${name} in the item`,
    );
  }
  const content: unknown = value[type];
  if (content === undefined) throw invalid(`One or more parameter values were invalid: Type mismatch for key ${name}`);
  if (content === '') {
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  }
  if (typeof content !== 'string' || (type === 'N' && !NUMBER.test(content)))
    throw invalid(`The parameter cannot be converted to a key value: ${name}`);
  return value;
}
