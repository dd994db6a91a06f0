import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { BelfryError } from '../../domain/errors.ts';
import type { OccurrenceKey } from '../../domain/watch/occurrence-key.ts';
import type { WatchPlace, WatchStore } from '../../domain/watch/ports.ts';
import type { RosterEntry, WatchState } from '../../domain/watch/watch-state.ts';
import { type Item, partsOf, readState, writeState } from './watch-state-item.ts';
import {
  LAST_REQUEST_SORT_KEY,
  readRequestSortKey,
  requestSortKey,
  STATE_SORT_KEY,
  WATCHDOG_PARTITION,
} from './watchdog-partition.ts';

const ROSTER_PREFIX = 'roster#';
const PART_PREFIX = 'part#';
/** Keeps a roster item far below DynamoDB's 400 KB. */
const ROSTER_CHUNK = 500;
const MOST_REQUESTS = 1_000;

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

  async load(): Promise<WatchPlace> {
    const items: Item[] = [];
    for await (const page of this.#pages('#sk BETWEEN :first AND :last', {
      ExpressionAttributeValues: { ':first': { S: STATE_SORT_KEY }, ':last': { S: LAST_REQUEST_SORT_KEY } },
      Limit: 1 + MOST_REQUESTS,
    })) {
      items.push(...page);
      if (items.length > MOST_REQUESTS) break;
    }
    const found = items[0]?.sk?.S === STATE_SORT_KEY ? items.shift() : undefined;
    const requested = items.slice(0, MOST_REQUESTS).map(({ sk }) => readRequestSortKey(sk?.S ?? ''));
    this.#loadedParts = partsOf(found);
    if (found === undefined) return { state: undefined, requested };
    return { state: readState(found, await this.#loadParts(this.#loadedParts)), requested };
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
          Item: { pk: WATCHDOG_PARTITION, sk: { S: STATE_SORT_KEY }, ...attributes },
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

  async forgetRequested(keys: readonly OccurrenceKey[]): Promise<void> {
    for (const key of keys) await this.#delete({ S: requestSortKey(key) });
  }

  async #loadParts(parts: { readonly key: string; readonly count: number } | undefined): Promise<Uint8Array[]> {
    if (parts === undefined) return [];
    const found = new Map((await this.#items(partKey(parts.key, '').S)).map(({ sk, part }) => [sk?.S, part?.B]));
    return Array.from({ length: parts.count }, (_, index) => {
      const part = found.get(partKey(parts.key, index).S);
      if (part === undefined) {
        throw new BelfryError(
          'WatchStateIncomplete',
          `part ${index} of the watchdog's state ${parts.key} is gone from table ${this.#tableName}: another watchdog moved the state meanwhile, or somebody deleted it`,
        );
      }
      return part;
    });
  }

  async #deleteParts(parts: { readonly key: string; readonly count: number } | undefined): Promise<void> {
    for (let index = 0; index < (parts?.count ?? 0); index++) await this.#delete(partKey(parts?.key ?? '', index));
  }

  async #put(attributes: Item): Promise<void> {
    const Item = { pk: WATCHDOG_PARTITION, ...attributes };
    await this.#client.send(new PutItemCommand({ TableName: this.#tableName, Item }));
  }

  async #delete(sk: AttributeValue): Promise<void> {
    const Key = { pk: WATCHDOG_PARTITION, sk };
    await this.#client.send(new DeleteItemCommand({ TableName: this.#tableName, Key }));
  }

  async #items(prefix: string, projection?: string): Promise<Item[]> {
    const items: Item[] = [];
    for await (const page of this.#pages('begins_with(#sk, :prefix)', {
      ExpressionAttributeValues: { ':prefix': { S: prefix } },
      ...(projection === undefined ? {} : { ProjectionExpression: projection }),
    })) {
      items.push(...page);
    }
    return items;
  }

  async *#pages(
    range: string,
    query: Pick<QueryCommandInput, 'ExpressionAttributeValues' | 'ProjectionExpression' | 'Limit'>,
  ): AsyncGenerator<Item[]> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        ...query,
        TableName: this.#tableName,
        ConsistentRead: true,
        KeyConditionExpression: `#pk = :pk AND ${range}`,
        ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
        ExpressionAttributeValues: { ':pk': WATCHDOG_PARTITION, ...query.ExpressionAttributeValues },
      },
    );
    for await (const { Items = [] } of pages) yield Items;
  }
}

function partKey(key: string, index: number | ''): { readonly S: string } {
  return { S: `${PART_PREFIX}${key}#${index}` };
}
