import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
} from '@aws-sdk/client-dynamodb';
import { formatInstant } from '../../domain/time/instant.ts';
import type { OccurrenceKey } from '../../domain/watch/occurrence-key.ts';
import type { RequestBook } from '../../domain/watch/ports.ts';

const PARTITION: AttributeValue = { S: 'W#watchdog' };
const PREFIX = 'asked#';
/** Where no watchdog is, nobody reads it. */
const KEPT_MS = 31 * 86_400_000;
const MOST_AT_ONCE = 1_000;

/** What people asked for since the last sweep, under the watchdog's partition. */
export class DynamoDbRequestBook implements RequestBook {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  async add(key: OccurrenceKey, now: number): Promise<void> {
    const expiresAt = { N: String(Math.floor((now + KEPT_MS) / 1_000)) };
    await this.#client.send(
      new PutItemCommand({ TableName: this.#tableName, Item: { pk: PARTITION, sk: sortKey(key), expiresAt } }),
    );
  }

  async load(): Promise<readonly OccurrenceKey[]> {
    const keys: OccurrenceKey[] = [];
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        ConsistentRead: true,
        KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
        ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
        ExpressionAttributeValues: { ':pk': PARTITION, ':prefix': { S: PREFIX } },
      },
    );
    for await (const { Items = [] } of pages) {
      keys.push(...Items.map(({ sk }) => readKey(sk?.S ?? '')));
      if (keys.length >= MOST_AT_ONCE) break;
    }
    return keys.slice(0, MOST_AT_ONCE);
  }

  async forget(keys: readonly OccurrenceKey[]): Promise<void> {
    for (const key of keys) {
      await this.#client.send(
        new DeleteItemCommand({ TableName: this.#tableName, Key: { pk: PARTITION, sk: sortKey(key) } }),
      );
    }
  }
}

function sortKey({ job, scheduledTime }: OccurrenceKey): AttributeValue {
  return { S: `${PREFIX}${job}#${formatInstant(scheduledTime)}` };
}

function readKey(sortKey: string): OccurrenceKey {
  const [, job = '', instant = ''] = sortKey.split('#');
  return { job, scheduledTime: Date.parse(instant) };
}
