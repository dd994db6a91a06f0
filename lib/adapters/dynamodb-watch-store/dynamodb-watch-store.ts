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

  async loadRoster(): Promise<readonly RosterEntry[]> {
    const chunks = (await this.#rosterItems()).map((item) => JSON.parse(item.entries?.S ?? '[]') as RosterEntry[]);
    return chunks.flat();
  }

  async saveRoster(roster: readonly RosterEntry[]): Promise<void> {
    const keys = new Map<string, AttributeValue>();
    for (let start = 0; start < roster.length; start += ROSTER_CHUNK) {
      const sortKey = `${ROSTER_PREFIX}${String(start / ROSTER_CHUNK).padStart(4, '0')}`;
      keys.set(sortKey, { S: JSON.stringify(roster.slice(start, start + ROSTER_CHUNK)) });
    }
    const leftOver = (await this.#rosterItems()).map((item) => item.sk?.S ?? '').filter((key) => !keys.has(key));
    for (const [sk, entries] of keys) {
      const Item = { pk: { S: PARTITION }, sk: { S: sk }, entries };
      await this.#client.send(new PutItemCommand({ TableName: this.#tableName, Item }));
    }
    for (const sk of leftOver) {
      const Key = { pk: { S: PARTITION }, sk: { S: sk } };
      await this.#client.send(new DeleteItemCommand({ TableName: this.#tableName, Key }));
    }
  }

  async #rosterItems(): Promise<Record<string, AttributeValue>[]> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        ConsistentRead: true,
        KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
        ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
        ExpressionAttributeValues: { ':pk': { S: PARTITION }, ':prefix': { S: ROSTER_PREFIX } },
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
    manifestDigest: { S: state.manifestDigest },
    open: { S: JSON.stringify(state.open) },
    effectiveFrom: { S: JSON.stringify(state.effectiveFrom) },
    version: { N: String(state.version) },
  };
}

function readState(item: Record<string, AttributeValue>): WatchState {
  return {
    sweptAt: Number(item.sweptAt?.N),
    manifestDigest: item.manifestDigest?.S ?? '',
    open: JSON.parse(item.open?.S ?? '[]') as WatchState['open'],
    effectiveFrom: JSON.parse(item.effectiveFrom?.S ?? '{}') as WatchState['effectiveFrom'],
    version: Number(item.version?.N),
  };
}
