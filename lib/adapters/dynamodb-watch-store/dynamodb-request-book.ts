import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { OccurrenceKey } from '../../domain/watch/occurrence-key.ts';
import type { RequestBook } from '../../domain/watch/ports.ts';
import { requestSortKey, WATCHDOG_PARTITION } from './watchdog-partition.ts';

/** Where no watchdog is, nobody reads it. */
const KEPT_MS = 31 * 86_400_000;

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
    const Item = { pk: WATCHDOG_PARTITION, sk: { S: requestSortKey(key) }, expiresAt };
    await this.#client.send(new PutItemCommand({ TableName: this.#tableName, Item }));
  }
}
