import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import { REQUEST_RETENTION_MS } from '../../domain/contract/retention.ts';
import { requestSortKey, WATCHDOG_PARTITION } from '../../domain/contract/run-table-keys.ts';
import type { RequestBook } from '../../domain/watch/ports.ts';

/** What people asked for since the last sweep, under the watchdog's partition. */
export class DynamoDbRequestBook implements RequestBook {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  async add(key: OccurrenceKey, now: number): Promise<void> {
    const expiresAt = { N: String(Math.floor((now + REQUEST_RETENTION_MS) / 1_000)) };
    const Item = { pk: { S: WATCHDOG_PARTITION }, sk: { S: requestSortKey(key) }, expiresAt };
    await this.#client.send(new PutItemCommand({ TableName: this.#tableName, Item }));
  }
}
