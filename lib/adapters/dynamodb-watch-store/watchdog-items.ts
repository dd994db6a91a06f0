import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { STATE_SORT_KEY, WATCHDOG_PARTITION } from '../../domain/contract/run-table-keys.ts';

export type Item = Record<string, AttributeValue>;

/** The items under the watchdog's partition of the run table. Reads are strongly consistent. */
export class WatchdogItems {
  readonly #client: DynamoDBClient;
  readonly tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client;
    this.tableName = tableName;
  }

  async put(attributes: Item): Promise<void> {
    const Item = { pk: { S: WATCHDOG_PARTITION }, ...attributes };
    await this.#client.send(new PutItemCommand({ TableName: this.tableName, Item }));
  }

  /**
   * Writes the state's item if the one before has version `before` (undefined: if there is none), and says whether the item
   * that stands is this one. The answer to a write may be lost, and the SDK then sends it again: that second write is
   * refused, although the first one was done. So a refusal is compared with what stands.
   */
  async replaceState(attributes: Item, before: number | undefined): Promise<boolean> {
    const isFirst = before === undefined;
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.tableName,
          Item: { pk: { S: WATCHDOG_PARTITION }, sk: { S: STATE_SORT_KEY }, ...attributes },
          ConditionExpression: isFirst ? 'attribute_not_exists(#pk)' : '#version = :before',
          ExpressionAttributeNames: isFirst ? { '#pk': 'pk' } : { '#version': 'version' },
          ...(isFirst ? {} : { ExpressionAttributeValues: { ':before': { N: String(before) } } }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const standing = error.Item ?? (await this.#standingState());
      return standing?.writeId?.S !== undefined && standing.writeId.S === attributes.writeId?.S;
    }
  }

  async delete(sk: string): Promise<void> {
    const Key = { pk: { S: WATCHDOG_PARTITION }, sk: { S: sk } };
    await this.#client.send(new DeleteItemCommand({ TableName: this.tableName, Key }));
  }

  /** Deletes what nobody needs any more. What cannot be deleted lies there and does no harm. */
  async discard(sortKeys: readonly string[]): Promise<void> {
    for (const sk of sortKeys) await this.delete(sk).catch(() => {});
  }

  async withPrefix(prefix: string, projection?: string): Promise<Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages('begins_with(#sk, :prefix)', {
      ExpressionAttributeValues: { ':prefix': { S: prefix } },
      ...(projection === undefined ? {} : { ProjectionExpression: projection }),
    })) {
      items.push(...page);
    }
    return items;
  }

  async *pages(
    range: string,
    query: Pick<QueryCommandInput, 'ExpressionAttributeValues' | 'ProjectionExpression' | 'Limit'>,
  ): AsyncGenerator<Item[]> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        ...query,
        TableName: this.tableName,
        ConsistentRead: true,
        KeyConditionExpression: `#pk = :pk AND ${range}`,
        ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
        ExpressionAttributeValues: { ':pk': { S: WATCHDOG_PARTITION }, ...query.ExpressionAttributeValues },
      },
    );
    for await (const { Items = [] } of pages) yield Items;
  }

  async #standingState(): Promise<Record<string, AttributeValue> | undefined> {
    const Key = { pk: { S: WATCHDOG_PARTITION }, sk: { S: STATE_SORT_KEY } };
    const request = new GetItemCommand({ TableName: this.tableName, Key, ConsistentRead: true });
    return (await this.#client.send(request)).Item;
  }
}
