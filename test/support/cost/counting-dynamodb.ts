import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDbFront } from '../../../lib/local/dynamodb/dynamodb-front.ts';
import type { Body } from '../../../lib/local/dynamodb/front-types.ts';
import { CREDENTIALS, createRunTable, frontInMemory } from '../dynamodb-server.ts';

const WRITE_UNIT_BYTES = 1_024;
const READ_UNIT_BYTES = 4_096;
/** What DynamoDB adds to each item that it stores. */
const INDEX_BYTES = 100;

type Attribute = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, Attribute>>;

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: object;
}

/**
 * The local runtime's DynamoDB in this process, with the units counted that DynamoDB would
 * bill: a write by the larger of the item before and after, refused or not; a read by what it looks at.
 */
export class CountingDynamoDb {
  readonly client: DynamoDBClient;
  requests = 0;
  writeUnits = 0;
  readUnits = 0;
  readonly #front: DynamoDbFront;
  readonly #sizes = new Map<string, number>();

  private constructor(front: DynamoDbFront) {
    this.#front = front;
    this.client = new DynamoDBClient({ region: 'us-east-1', credentials: CREDENTIALS });
    // Signing and the wire would take most of the time of a simulated month, and change no figure.
    this.client.send = ((command: Command) => this.#send(command)) as never;
  }

  static async open(table: string, now: () => number): Promise<CountingDynamoDb> {
    const front = await frontInMemory(now);
    await front.handle('CreateTable', { ...createRunTable(table).input } as Body);
    for (;;) {
      const { body } = await front.handle('DescribeTable', { TableName: table } as Body);
      if ((body.Table as { TableStatus?: string } | undefined)?.TableStatus === 'ACTIVE')
        return new CountingDynamoDb(front);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Bytes of all items, as DynamoDB bills their storage. */
  get storedBytes(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size + INDEX_BYTES, 0);
  }

  async #send({ constructor: { name }, input: given }: Command): Promise<object> {
    const operation = name.replace(/Command$/, '');
    const input = JSON.parse(JSON.stringify(given, toWire)) as Body;
    const { status, body } = await this.#front.handle(operation, input);
    this.requests++;
    await this.#count(operation, input, body as Body);
    if (status === 200) return JSON.parse(JSON.stringify(body), fromWire) as object;
    const { __type: type, message, Item } = body as { __type?: string; message?: string; Item?: never };
    if (type?.endsWith('ConditionalCheckFailedException') !== true) throw new Error(`${operation}: ${type} ${message}`);
    throw new ConditionalCheckFailedException({
      message: message ?? '',
      $metadata: {},
      ...(Item === undefined ? {} : { Item }),
    });
  }

  async #count(operation: string, input: Body, answer: Body): Promise<void> {
    const table = String(input.TableName);
    switch (operation) {
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        this.writeUnits += await this.#write(table, (input.Key ?? input.Item) as Item);
        return;
      case 'GetItem':
        this.readUnits += readUnits(this.#sizes.get(idOf(table, input.Key as Item)) ?? 0, input.ConsistentRead);
        return;
      case 'BatchGetItem':
        for (const [name, { Keys, ConsistentRead }] of Object.entries(
          input.RequestItems as Record<string, { Keys: Item[]; ConsistentRead?: boolean }>,
        ))
          for (const key of Keys) this.readUnits += readUnits(this.#sizes.get(idOf(name, key)) ?? 0, ConsistentRead);
        return;
      case 'Query': {
        const sizes = ((answer.Items ?? []) as Item[]).map(
          (item) => this.#sizes.get(idOf(table, item)) ?? sizeOf(item),
        );
        this.readUnits += readUnits(
          sizes.reduce((sum, size) => sum + size, 0),
          input.ConsistentRead,
        );
        return;
      }
      default:
        throw new Error(`${operation} is not counted`);
    }
  }

  async #write(table: string, key: Item): Promise<number> {
    const { pk, sk } = key;
    const id = idOf(table, key);
    const before = this.#sizes.get(id) ?? 0;
    const { body } = await this.#front.handle('GetItem', {
      TableName: table,
      Key: { pk, sk },
      ConsistentRead: true,
    } as Body);
    const item = body.Item as Item | undefined;
    const after = item === undefined ? 0 : sizeOf(item);
    if (item === undefined) this.#sizes.delete(id);
    else this.#sizes.set(id, after);
    return Math.max(1, Math.ceil(Math.max(before, after) / WRITE_UNIT_BYTES));
  }
}

function readUnits(bytes: number, consistent: unknown): number {
  return Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (consistent === true ? 1 : 0.5);
}

function idOf(table: string, { pk, sk }: Item): string {
  return `${table} ${pk?.S} ${sk?.S}`;
}

/** As DynamoDB counts it: names and texts in bytes, numbers with about one byte for two digits. */
function sizeOf(item: Item): number {
  return Object.entries(item).reduce((sum, [name, { S, N, B }]) => {
    const size =
      S !== undefined
        ? Buffer.byteLength(String(S))
        : N !== undefined
          ? Math.ceil(String(N).length / 2) + 1
          : B !== undefined
            ? (String(B).length * 3) / 4
            : 1;
    return sum + name.length + size;
  }, 0);
}

/** Bytes as JSON carries them. A Buffer has been made into an object before it comes here. */
function toWire(key: string, value: unknown): unknown {
  if (key !== 'B') return value;
  const bytes =
    value instanceof Uint8Array ? value : Object.values(((value as { data?: object }).data ?? value) as object);
  return Buffer.from(bytes as Uint8Array).toString('base64');
}

function fromWire(key: string, value: unknown): unknown {
  return key === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
}
