import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
} from '@aws-sdk/client-dynamodb';
import { BelfryError } from '../../domain/errors.ts';
import type { WatchStore } from '../../domain/watch/ports.ts';
import type { RosterEntry, WatchState } from '../../domain/watch/watch-state.ts';
import { type Item, partsOf, readState, writeState } from './watch-state-item.ts';

const PARTITION = 'W#watchdog';
const STATE_SORT_KEY = '$';
const ROSTER_PREFIX = 'roster#';
const PART_PREFIX = 'part#';
/** Keeps a roster item far below DynamoDB's 400 KB. */
const ROSTER_CHUNK = 500;

/** The watchdog's place, in the run table under a partition of its own. */
export class DynamoDbWatchStore implements WatchStore {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  /** The parts that the state has which was loaded last. */
  #loadedParts: { readonly key: string; readonly count: number } | undefined;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  async load(): Promise<WatchState | undefined> {
    const item = await this.#get(STATE_SORT_KEY);
    this.#loadedParts = partsOf(item);
    if (item === undefined) return undefined;
    return readState(item, await this.#loadParts(this.#loadedParts));
  }

  async save(state: WatchState): Promise<boolean> {
    const first = state.version === 1;
    const key = `${state.version}#${randomUUID()}`;
    const { attributes, parts } = writeState(state, key);
    for (const [index, part] of parts.entries()) await this.#put({ sk: partKey(key, index), part: { B: part } });
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#tableName,
          Item: { pk: { S: PARTITION }, sk: { S: STATE_SORT_KEY }, ...attributes },
          ConditionExpression: first ? 'attribute_not_exists(#pk)' : '#version = :before',
          ExpressionAttributeNames: first ? { '#pk': 'pk' } : { '#version': 'version' },
          ...(first ? {} : { ExpressionAttributeValues: { ':before': { N: String(state.version - 1) } } }),
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      await this.#deleteParts({ key, count: parts.length });
      return false;
    }
    await this.#deleteParts(this.#loadedParts);
    return true;
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
      await this.#put({ sk: { S: sk }, entries: { S: entries } });
    }
  }

  async keepRosters(digests: readonly string[]): Promise<void> {
    const kept = new Set(digests);
    for (const { sk } of await this.#items(ROSTER_PREFIX, '#pk, #sk')) {
      if (sk !== undefined && !kept.has(sk.S?.split('#')[1] ?? '')) await this.#delete(sk);
    }
  }

  async #loadParts(parts: { readonly key: string; readonly count: number } | undefined): Promise<Uint8Array[]> {
    const loaded: Uint8Array[] = [];
    for (let index = 0; index < (parts?.count ?? 0); index++) {
      const part = (await this.#get(partKey(parts?.key ?? '', index).S))?.part?.B;
      if (part === undefined) {
        throw new BelfryError(
          'WatchStateIncomplete',
          `part ${index} of the watchdog's state ${parts?.key} is gone from table ${this.#tableName}: another watchdog moved the state meanwhile, or somebody deleted it`,
        );
      }
      loaded.push(part);
    }
    return loaded;
  }

  async #deleteParts(parts: { readonly key: string; readonly count: number } | undefined): Promise<void> {
    for (let index = 0; index < (parts?.count ?? 0); index++) await this.#delete(partKey(parts?.key ?? '', index));
  }

  async #get(sortKey: string): Promise<Item | undefined> {
    const Key = { pk: { S: PARTITION }, sk: { S: sortKey } };
    return (await this.#client.send(new GetItemCommand({ TableName: this.#tableName, Key, ConsistentRead: true })))
      .Item;
  }

  async #put(attributes: Item): Promise<void> {
    const Item = { pk: { S: PARTITION }, ...attributes };
    await this.#client.send(new PutItemCommand({ TableName: this.#tableName, Item }));
  }

  async #delete(sk: AttributeValue): Promise<void> {
    const Key = { pk: { S: PARTITION }, sk };
    await this.#client.send(new DeleteItemCommand({ TableName: this.#tableName, Key }));
  }

  async #items(prefix: string, projection?: string): Promise<Item[]> {
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
    const items: Item[] = [];
    for await (const page of pages) items.push(...(page.Items ?? []));
    return items;
  }
}

function partKey(key: string, index: number): { readonly S: string } {
  return { S: `${PART_PREFIX}${key}#${index}` };
}
