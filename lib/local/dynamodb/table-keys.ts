import type { AttributeValue, Item } from './expression/attribute-value.ts';
import { ApiError, type Forward, invalid } from './front-types.ts';

interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

interface TableDescription {
  readonly Table: {
    readonly KeySchema: readonly { readonly AttributeName: string }[];
    readonly AttributeDefinitions: readonly {
      readonly AttributeName: string;
      readonly AttributeType: 'S' | 'N' | 'B';
    }[];
  };
}

/** The key attributes of each table, asked for once. */
export class TableKeys {
  readonly #forward: Forward;
  readonly #known = new Map<string, readonly KeyAttribute[]>();

  constructor(forward: Forward) {
    this.#forward = forward;
  }

  forget(): void {
    this.#known.clear();
  }

  /** Undefined for a table that does not exist. */
  async of(tableName: string): Promise<readonly KeyAttribute[] | undefined> {
    const known = this.#known.get(tableName);
    if (known !== undefined) return known;
    const answer = await this.#forward('DescribeTable', { TableName: tableName });
    if (answer.status !== 200) return undefined;
    const { KeySchema, AttributeDefinitions } = (answer.body as unknown as TableDescription).Table;
    const keys = KeySchema.map(({ AttributeName: name }) => ({
      name,
      type: AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? 'S',
    }));
    this.#known.set(tableName, keys);
    return keys;
  }

  /**
   * The key in an item, or a key as given, checked.
   * @throws ApiError
   */
  async keyOf(tableName: string, from: Item, exactly: boolean): Promise<Item> {
    const keys = await this.of(tableName);
    if (keys === undefined) throw new ApiError('ResourceNotFoundException', 'Requested resource not found');
    if (exactly && Object.keys(from).length !== keys.length)
      throw invalid('The provided key element does not match the schema');
    const entries = keys.map(({ name, type }): [string, AttributeValue] => {
      const value = from[name];
      if (value === undefined) {
        throw invalid(
          exactly
            ? 'The provided key element does not match the schema'
            : `One or more parameter values were invalid: Missing the key ${name} in the item`,
        );
      }
      if (value[type] === undefined)
        throw invalid(`One or more parameter values were invalid: Type mismatch for key ${name}`);
      if (value[type] === '') {
        throw invalid(
          `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
        );
      }
      return [name, value];
    });
    return Object.fromEntries(entries);
  }
}

/** A text that two keys share exactly if they are the same key of the same table. */
export function lockName(tableName: string, key: Item): string {
  const parts = Object.entries(key).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([tableName, parts]);
}
