import type { Item } from './expression/attribute-value.ts';
import { type Answer, ApiError, type Body, type Forward, invalid, type WriteRequest } from './front-types.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { lockName, TableKeys } from './table-keys.ts';
import { TimeToLive } from './time-to-live.ts';
import { transactWrite } from './transact-write.ts';
import { TransactionTokens } from './transaction-tokens.ts';

export interface DynamoDbFrontOptions {
  /** Asks the engine: operation name as in `X-Amz-Target`, JSON body. */
  readonly forward: Forward;
  /** Epoch milliseconds: what time to live and transaction tokens go by. */
  readonly now: () => number;
}

/**
 * Stands before a DynamoDB engine and adds what it lacks: TransactWriteItems and TransactGetItems,
 * ReturnValuesOnConditionCheckFailure, and time to live. All writes must pass through it. The results of a transaction
 * are written one after the other, so an engine that is killed in between keeps a part of them.
 */
export class DynamoDbFront {
  readonly #forward: Forward;
  readonly #tableKeys: TableKeys;
  readonly #mutex = new KeyedMutex();
  readonly #tokens: TransactionTokens;
  readonly #timeToLive: TimeToLive;

  constructor({ forward, now }: DynamoDbFrontOptions) {
    this.#forward = forward;
    this.#tableKeys = new TableKeys(forward);
    this.#tokens = new TransactionTokens(now);
    this.#timeToLive = new TimeToLive(forward, this.#tableKeys, now);
  }

  async handle(operation: string, body: Body): Promise<Answer> {
    try {
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
        const parts = { forward: this.#forward, tableKeys: this.#tableKeys, mutex: this.#mutex };
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
        this.#tableKeys.forget();
        return this.#forward(operation, body);
      default:
        return this.#forward(operation, body);
    }
  }

  async #write(operation: 'PutItem' | 'UpdateItem' | 'DeleteItem', body: Body): Promise<Answer> {
    const { ReturnValuesOnConditionCheckFailure: returning = 'NONE', ...rest } = body;
    if (returning !== 'NONE' && returning !== 'ALL_OLD') {
      throw invalid(
        `1 validation error detected: Value '${String(returning)}' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]`,
      );
    }
    const key = await this.#keyOfWrite(operation, body as unknown as WriteRequest);
    // A request that the engine will refuse for its form needs no lock, and gets the engine's own words.
    if (key === undefined) return this.#forward(operation, rest);
    const TableName = String(body.TableName);
    return this.#mutex.hold([lockName(TableName, key)], async () => {
      const answer = await this.#forward(operation, rest);
      const failed = String(answer.body.__type).endsWith('#ConditionalCheckFailedException');
      if (returning === 'NONE' || !failed) return answer;
      const read = await this.#forward('GetItem', { TableName, Key: key, ConsistentRead: true });
      const item = read.body.Item;
      return item === undefined ? answer : { status: answer.status, body: { ...answer.body, Item: item } };
    });
  }

  async #keyOfWrite(operation: string, { TableName, Item, Key }: WriteRequest): Promise<Item | undefined> {
    try {
      return await this.#tableKeys.keyOf(
        TableName,
        (operation === 'PutItem' ? Item : Key) ?? {},
        operation !== 'PutItem',
      );
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  async #batchWrite(body: Body): Promise<Answer> {
    type Requests = Record<string, readonly { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[]>;
    const locks: string[] = [];
    for (const [table, requests] of Object.entries((body.RequestItems ?? {}) as Requests)) {
      for (const { PutRequest, DeleteRequest } of requests) {
        const put = PutRequest !== undefined;
        const request = { TableName: table, ...(put ? { Item: PutRequest.Item } : { Key: DeleteRequest?.Key ?? {} }) };
        const key = await this.#keyOfWrite(put ? 'PutItem' : 'DeleteItem', request);
        if (key !== undefined) locks.push(lockName(table, key));
      }
    }
    return this.#mutex.hold(locks, () => this.#forward('BatchWriteItem', body));
  }

  async #transactGet(body: Body): Promise<Answer> {
    const gets = (body.TransactItems ?? []) as readonly {
      readonly Get: { readonly TableName: string; readonly Key: Item };
    }[];
    const locks = gets.map(({ Get }) => lockName(Get.TableName, Get.Key));
    if (new Set(locks).size < locks.length) {
      throw invalid('Transaction request cannot include multiple operations on one item');
    }
    return this.#mutex.hold(locks, async () => {
      const responses: Body[] = [];
      for (const { Get } of gets) {
        const answer = await this.#forward('GetItem', { ...Get, ConsistentRead: true });
        if (answer.status !== 200) return answer;
        responses.push(answer.body.Item === undefined ? {} : { Item: answer.body.Item });
      }
      return { status: 200, body: { Responses: responses } };
    });
  }
}
