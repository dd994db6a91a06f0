import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
} from '@aws-sdk/client-dynamodb';
import type { WatchStore } from '../../domain/watch/ports.ts';
import type { RosterEntry, WatchState } from '../../domain/watch/watch-state.ts';

const PARTITION = 'W#watchdog';
const STATE_SORT_KEY = '$';
const ROSTER_PREFIX = 'roster#';
/** Keeps a roster item far below DynamoDB's 400 KB. */
const ROSTER_CHUNK = 500;

/** The watchdog's place, in the run table under a partition of its own. */
export class DynamoDbWatchStore implements WatchStore {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  async load(): Promise<WatchState | undefined> {
    const { Item } = await this.#client.send(
      new GetItemCommand({
        TableName: this.#tableName,
        Key: { pk: { S: PARTITION }, sk: { S: STATE_SORT_KEY } },
        ConsistentRead: true,
      }),
    );
    return Item === undefined ? undefined : readState(Item);
  }

  async save(state: WatchState): Promise<boolean> {
    const first = state.version === 1;
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#tableName,
          Item: writeState(state),
          ConditionExpression: first ? 'attribute_not_exists(#pk)' : '#version = :before',
          ExpressionAttributeNames: first ? { '#pk': 'pk' } : { '#version': 'version' },
          ...(first ? {} : { ExpressionAttributeValues: { ':before': { N: String(state.version - 1) } } }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async loadRoster(digest: string): Promise<readonly RosterEntry[]> {
    const chunks = (await this.#items(`${ROSTER_PREFIX}${digest}#`)).map(
      (item) => JSON.parse(item.entries?.S ?? '[]') as RosterEntry[],
    );
    return chunks.flat();
  }

  async saveRoster(digest: string, roster: readonly RosterEntry[]): Promise<void> {
    for (let start = 0; start < roster.length; start += ROSTER_CHUNK) {
      const sk = `${ROSTER_PREFIX}${digest}#${String(start / ROSTER_CHUNK).padStart(4, '0')}`;
      const entries = JSON.stringify(roster.slice(start, start + ROSTER_CHUNK));
      const Item = { pk: { S: PARTITION }, sk: { S: sk }, entries: { S: entries } };
      await this.#client.send(new PutItemCommand({ TableName: this.#tableName, Item }));
    }
  }

  async keepRosters(digests: readonly string[]): Promise<void> {
    const kept = new Set(digests);
    for (const { sk } of await this.#items(ROSTER_PREFIX, '#pk, #sk')) {
      if (sk === undefined || kept.has(sk.S?.split('#')[1] ?? '')) continue;
      await this.#client.send(new DeleteItemCommand({ TableName: this.#tableName, Key: { pk: { S: PARTITION }, sk } }));
    }
  }

  async #items(prefix: string, projection?: string): Promise<Record<string, AttributeValue>[]> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        ConsistentRead: true,
        KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
        ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
        ExpressionAttributeValues: { ':pk': { S: PARTITION }, ':prefix': { S: prefix } },
        ...(projection === undefined ? {} : { ProjectionExpression: projection }),
      },
    );
    const items: Record<string, AttributeValue>[] = [];
    for await (const page of pages) items.push(...(page.Items ?? []));
    return items;
  }
}

function writeState(state: WatchState): Record<string, AttributeValue> {
  return {
    pk: { S: PARTITION },
    sk: { S: STATE_SORT_KEY },
    sweptAt: { N: String(state.sweptAt) },
    epochs: { S: JSON.stringify(state.epochs) },
    open: { S: JSON.stringify(state.open) },
    effectiveFrom: { S: JSON.stringify(state.effectiveFrom) },
    version: { N: String(state.version) },
  };
}

function readState(item: Record<string, AttributeValue>): WatchState {
  return {
    sweptAt: Number(item.sweptAt?.N),
    epochs: JSON.parse(item.epochs?.S ?? '[]') as WatchState['epochs'],
    open: JSON.parse(item.open?.S ?? '[]') as WatchState['open'],
    effectiveFrom: JSON.parse(item.effectiveFrom?.S ?? '{}') as WatchState['effectiveFrom'],
    version: Number(item.version?.N),
  };
}
