import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { AttributeValue, Item } from '../../lib/local/dynamodb/expression/attribute-value.ts';
import { type Condition, holds, parseCondition } from '../../lib/local/dynamodb/expression/condition.ts';
import { Placeholders } from '../../lib/local/dynamodb/expression/tokens.ts';
import { applyUpdate, parseUpdate } from '../../lib/local/dynamodb/expression/update.ts';

export interface WriteInput {
  readonly TableName: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}

/** One write that was applied. */
export interface AppliedWrite {
  readonly input: WriteInput;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly values: Readonly<Record<string, AttributeValue>>;
}

export interface MemoryDynamoDbOptions {
  /** Replaces a condition before it is judged. `expression` says what the write was. */
  readonly mutate?: (condition: Condition, input: WriteInput) => Condition;
  readonly onWrite?: (write: AppliedWrite) => void;
  readonly onRefused?: (input: WriteInput, before: Item | undefined) => void;
  readonly hideReturnedItems?: boolean;
  /** Whether the token of a transaction is still remembered. */
  readonly remembersTokens?: () => boolean;
}

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: object;
}

/** A DynamoDB that answers the SDK's commands at once, in this process: what a simulation runs on. */
export class MemoryDynamoDb {
  readonly #items = new Map<string, Item>();
  readonly #tokens = new Set<string>();
  readonly #options: MemoryDynamoDbOptions;

  constructor(options: MemoryDynamoDbOptions = {}) {
    this.#options = options;
  }

  items(table: string): Item[] {
    return [...this.#items].filter(([id]) => id.startsWith(`${table} `)).map(([, item]) => item);
  }

  get(table: string, key: Item): Item | undefined {
    return this.#items.get(idOf(table, key));
  }

  /** What no request does: the loss of an item, or its return from a backup. */
  overwrite(table: string, key: Item, item: Item | undefined): void {
    if (item === undefined) this.#items.delete(idOf(table, key));
    else this.#items.set(idOf(table, key), item);
  }

  /** Applies a command. Throws what the SDK would. */
  apply(command: Command): object {
    const input = command.input as never;
    switch (command.constructor.name) {
      case 'GetItemCommand':
        return this.#getItem(input);
      case 'PutItemCommand':
      case 'UpdateItemCommand':
        return this.#write(input);
      case 'TransactWriteItemsCommand':
        return this.#transact(input);
      default:
        throw new Error(`${command.constructor.name} is not simulated`);
    }
  }

  #getItem({ TableName, Key }: { TableName: string; Key: Item }): object {
    const Item = this.get(TableName, Key);
    return Item === undefined ? {} : { Item };
  }

  #write(input: WriteInput): object {
    const before = this.#current(input);
    if (!this.#allows(input, before)) {
      const shown = before !== undefined && this.#shows(input) ? { Item: before as never } : {};
      throw new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata: {}, ...shown });
    }
    this.#put(input, before);
    return input.ReturnValues === 'ALL_OLD' && before !== undefined ? { Attributes: before } : {};
  }

  #transact(input: {
    ClientRequestToken?: string;
    TransactItems: readonly { Update?: WriteInput; Put?: WriteInput }[];
  }): object {
    const { ClientRequestToken: token = '' } = input;
    if (this.#tokens.has(token) && (this.#options.remembersTokens?.() ?? true)) return {};
    const writes = input.TransactItems.map(({ Update, Put }) => Update ?? Put).filter((write) => write !== undefined);
    const befores = writes.map((write) => this.#current(write));
    const allowed = writes.map((write, index) => this.#allows(write, befores[index]));
    if (allowed.includes(false)) {
      const CancellationReasons = writes.map((write, index) => {
        const before = befores[index];
        if (allowed[index]) return { Code: 'None' };
        return {
          Code: 'ConditionalCheckFailed',
          ...(before !== undefined && this.#shows(write) ? { Item: before as never } : {}),
        };
      });
      throw new TransactionCanceledException({ message: 'Transaction cancelled', $metadata: {}, CancellationReasons });
    }
    for (const [index, write] of writes.entries()) this.#put(write, befores[index]);
    this.#tokens.add(token);
    return {};
  }

  #current(input: WriteInput): Item | undefined {
    return this.#items.get(idOf(input.TableName, input.Key ?? input.Item ?? {}));
  }

  #shows(input: WriteInput): boolean {
    return input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && this.#options.hideReturnedItems !== true;
  }

  #allows(input: WriteInput, before: Item | undefined): boolean {
    if (input.ConditionExpression === undefined) return true;
    const placeholders = new Placeholders(input.ExpressionAttributeNames, input.ExpressionAttributeValues);
    const condition = parseCondition(input.ConditionExpression, placeholders);
    const allowed = holds(this.#options.mutate?.(condition, input) ?? condition, before);
    if (!allowed) this.#options.onRefused?.(input, before);
    return allowed;
  }

  #put(input: WriteInput, before: Item | undefined): Item {
    const placeholders = new Placeholders(input.ExpressionAttributeNames, input.ExpressionAttributeValues);
    const after =
      input.UpdateExpression === undefined
        ? (input.Item ?? {})
        : applyUpdate(parseUpdate(input.UpdateExpression, placeholders), before ?? input.Key ?? {});
    this.#items.set(idOf(input.TableName, after), after);
    this.#options.onWrite?.({ input, before, after, values: input.ExpressionAttributeValues ?? {} });
    return after;
  }
}

function idOf(table: string, { pk, sk }: Item): string {
  return `${table} ${pk?.S} ${sk?.S}`;
}
