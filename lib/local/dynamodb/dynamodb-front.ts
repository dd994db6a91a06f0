import type { DynaliteEngine } from './dynalite-engine.ts';
import type { DynamoDbStore } from './dynamodb-store.ts';
import type { Item } from './expression/attribute-value.ts';
import { type Answer, ApiError, type Body, type Engine, invalid, type WriteRequest } from './front-types.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { type Place, TableKeys } from './table-keys.ts';
import { TimeToLive } from './time-to-live.ts';
import { transactWrite } from './transact-write.ts';
import { TransactionTokens } from './transaction-tokens.ts';

export interface DynamoDbFrontOptions {
  readonly store: DynamoDbStore;
  /** Judges what a transaction would store. */
  readonly dynalite: DynaliteEngine;
  /** Carries out everything that the front does not do itself, on the same store. */
  readonly engine: Engine;
  /** Epoch milliseconds: what time to live and transaction tokens go by. */
  readonly now: () => number;
}

/**
 * Stands before a DynamoDB engine and adds what it lacks: TransactWriteItems and TransactGetItems,
 * ReturnValuesOnConditionCheckFailure, and time to live. All writes must pass through it.
 */
export class DynamoDbFront {
  readonly #store: DynamoDbStore;
  readonly #dynalite: DynaliteEngine;
  readonly #engine: Engine;
  readonly #tableKeys: TableKeys;
  readonly #mutex = new KeyedMutex();
  readonly #tokens: TransactionTokens;
  readonly #timeToLive: TimeToLive;

  constructor({ store, dynalite, engine, now }: DynamoDbFrontOptions) {
    this.#store = store;
    this.#dynalite = dynalite;
    this.#engine = engine;
    this.#tableKeys = new TableKeys(store);
    this.#tokens = new TransactionTokens(now);
    this.#timeToLive = new TimeToLive({ store, now, call: (operation, body) => this.#handle(operation, body) });
  }

  /** @throws Error when the store fails */
  async handle(operation: string, body: Body): Promise<Answer> {
    try {
      if (this.#store.failure !== undefined) await this.#store.recover();
      if (this.#timeToLive.sweepIsDue) await this.#timeToLive.sweep();
      return await this.#handle(operation, body);
    } catch (error) {
      if (error instanceof ApiError) return error.toAnswer();
      throw error;
    }
  }

  /** Deletes what has expired by now, without waiting for its turn. Returns how many items. */
  sweepExpired(): Promise<number> {
    return this.#timeToLive.sweep();
  }

  #handle(operation: string, body: Body): Promise<Answer> {
    switch (operation) {
      case 'TransactWriteItems': {
        const parts = {
          store: this.#store,
          dynalite: this.#dynalite,
          tableKeys: this.#tableKeys,
          mutex: this.#mutex,
          onWritten: (place: Place, item: Item) => this.#timeToLive.written(place.table.TableName, item),
        };
        return this.#tokens.once(body, () => transactWrite(parts, body));
      }
      case 'TransactGetItems':
        return this.#transactGet(body);
      case 'UpdateTimeToLive':
        return this.#timeToLive.update(body);
      case 'DescribeTimeToLive':
        return this.#timeToLive.describe(body);
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        return this.#write(operation, body);
      case 'BatchWriteItem':
        return this.#batchWrite(body);
      case 'CreateTable':
      case 'DeleteTable':
      case 'UpdateTable':
        return this.#changeTable(operation, body);
      default:
        return this.#engine.call(operation, body);
    }
  }

  async #changeTable(operation: string, body: Body): Promise<Answer> {
    try {
      return await this.#engine.call(operation, body);
    } finally {
      this.#store.forgetTables();
    }
  }

  async #write(operation: 'PutItem' | 'UpdateItem' | 'DeleteItem', body: Body): Promise<Answer> {
    const { ReturnValuesOnConditionCheckFailure: returning = 'NONE', ...rest } = body;
    if (returning !== 'NONE' && returning !== 'ALL_OLD') {
      throw invalid(
        `1 validation error detected: Value '${String(returning)}' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]`,
      );
    }
    const place = this.#placeOfWrite(operation, body as unknown as WriteRequest);
    // A request that the engine will refuse for its form needs no lock, and gets the engine's own words.
    if (place === undefined) return this.#engine.call(operation, rest);
    return this.#mutex.hold([place.storageKey], async () => {
      const answer = await this.#engine.call(operation, rest);
      if (answer.status === 200) {
        if (operation !== 'DeleteItem') this.#noteExpiry(place, answer.stored);
        return answer;
      }
      const failed = String(answer.body.__type).endsWith('#ConditionalCheckFailedException');
      const item = failed && returning === 'ALL_OLD' ? this.#store.get(place.storageKey) : undefined;
      return item === undefined ? answer : { status: answer.status, body: { ...answer.body, Item: item } };
    });
  }

  #noteExpiry({ table, storageKey }: Place, stored?: Item): void {
    if (!this.#timeToLive.isOn(table.TableName)) return;
    const item = stored ?? this.#store.get(storageKey);
    if (item !== undefined) this.#timeToLive.written(table.TableName, item);
  }

  #placeOfWrite(operation: string, { TableName, Item, Key }: WriteRequest): Place | undefined {
    try {
      return this.#tableKeys.placeOf(TableName, (operation === 'PutItem' ? Item : Key) ?? {}, operation !== 'PutItem');
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  async #batchWrite(body: Body): Promise<Answer> {
    type Requests = Record<string, readonly { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[]>;
    const places: Place[] = [];
    for (const [table, requests] of Object.entries((body.RequestItems ?? {}) as Requests)) {
      for (const { PutRequest, DeleteRequest } of requests) {
        const put = PutRequest !== undefined;
        const request = { TableName: table, ...(put ? { Item: PutRequest.Item } : { Key: DeleteRequest?.Key ?? {} }) };
        const place = this.#placeOfWrite(put ? 'PutItem' : 'DeleteItem', request);
        if (place !== undefined) places.push(place);
      }
    }
    const locks = places.map(({ storageKey }) => storageKey);
    return this.#mutex.hold(locks, async () => {
      const answer = await this.#engine.call('BatchWriteItem', body);
      for (const place of places) this.#noteExpiry(place);
      return answer;
    });
  }

  async #transactGet(body: Body): Promise<Answer> {
    const gets = (body.TransactItems ?? []) as readonly {
      readonly Get: { readonly TableName: string; readonly Key: Item };
    }[];
    const locks = gets.map(({ Get }) => this.#tableKeys.placeOf(Get.TableName, Get.Key, true).storageKey);
    if (new Set(locks).size < locks.length) {
      throw invalid('Transaction request cannot include multiple operations on one item');
    }
    return this.#mutex.hold(locks, async () => {
      const responses: Body[] = [];
      for (const { Get } of gets) {
        const answer = await this.#engine.call('GetItem', { ...Get, ConsistentRead: true });
        if (answer.status !== 200) return answer;
        responses.push(answer.body.Item === undefined ? {} : { Item: answer.body.Item });
      }
      return { status: 200, body: { Responses: responses } };
    });
  }
}
