import type { DynamoDbStore } from './dynamodb-store.ts';
import type { Item } from './expression/attribute-value.ts';
import { type Answer, type Body, type Call, invalid } from './front-types.ts';
import { keyOf } from './storage-key.ts';

/** AWS deletes within days; here it happens at most this often, on the clock that is passed in. */
const SWEEP_EVERY_MS = 6 * 3_600_000;
/** Items that expired longer ago are left alone, as on AWS: their attribute is taken to mean something else. */
const OLDEST_S = 5 * 365 * 86_400;

export interface TimeToLiveOptions {
  readonly store: DynamoDbStore;
  readonly call: Call;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Expiring {
  readonly attribute: string;
  /** Epoch seconds: no item expires earlier. Unknown, so anything may, until all have been looked at. */
  earliest: number;
}

/** Time to live: tables whose items carry the second in which they expire. */
export class TimeToLive {
  readonly #options: TimeToLiveOptions;
  readonly #tables = new Map<string, Expiring>();
  #sweptAt: number;

  constructor(options: TimeToLiveOptions) {
    this.#options = options;
    this.#sweptAt = options.now();
  }

  /** @throws ApiError */
  async update(body: Body): Promise<Answer> {
    const tableName = String(body.TableName);
    const missing = await this.#missing(tableName);
    if (missing !== undefined) return missing;
    const specification = body.TimeToLiveSpecification as { Enabled?: boolean; AttributeName?: string } | undefined;
    const { Enabled, AttributeName } = specification ?? {};
    if (Enabled === undefined || AttributeName === undefined)
      throw invalid('TimeToLiveSpecification needs Enabled and AttributeName');
    const current = this.#tables.get(tableName);
    if (Enabled && current !== undefined) throw invalid('TimeToLive is already enabled');
    if (!Enabled && current === undefined) throw invalid('TimeToLive is already disabled');
    if (Enabled) this.#tables.set(tableName, { attribute: AttributeName, earliest: Number.NEGATIVE_INFINITY });
    else this.#tables.delete(tableName);
    return { status: 200, body: { TimeToLiveSpecification: { Enabled, AttributeName } } };
  }

  async describe(body: Body): Promise<Answer> {
    const tableName = String(body.TableName);
    const missing = await this.#missing(tableName);
    if (missing !== undefined) return missing;
    const AttributeName = this.#tables.get(tableName)?.attribute;
    const TimeToLiveDescription =
      AttributeName === undefined ? { TimeToLiveStatus: 'DISABLED' } : { TimeToLiveStatus: 'ENABLED', AttributeName };
    return { status: 200, body: { TimeToLiveDescription } };
  }

  async #missing(tableName: string): Promise<Answer | undefined> {
    const answer = await this.#options.call('DescribeTable', { TableName: tableName });
    return answer.status === 200 ? undefined : answer;
  }

  isOn(tableName: string): boolean {
    return this.#tables.has(tableName);
  }

  /** Has to be told of every item that was written to a table with time to live. */
  written(tableName: string, item: Item): void {
    const table = this.#tables.get(tableName);
    const expiry = table && expiryOf(item, table.attribute);
    if (table !== undefined && expiry !== undefined && expiry < table.earliest) table.earliest = expiry;
  }

  get sweepIsDue(): boolean {
    return this.#tables.size > 0 && this.#options.now() - this.#sweptAt >= SWEEP_EVERY_MS;
  }

  /** Deletes what has expired. Returns how many items. */
  async sweep(): Promise<number> {
    const now = this.#options.now();
    this.#sweptAt = now;
    let deleted = 0;
    for (const [tableName, table] of this.#tables) {
      if (table.earliest <= now / 1000) deleted += await this.#sweepTable(tableName, table, Math.floor(now / 1000));
    }
    return deleted;
  }

  async #sweepTable(TableName: string, table: Expiring, nowS: number): Promise<number> {
    const { attribute } = table;
    const { store, call } = this.#options;
    const schema = store.table(TableName);
    if (schema === undefined) return 0;
    const stillExpired = {
      ConditionExpression: '#expiry BETWEEN :oldest AND :now',
      ExpressionAttributeNames: { '#expiry': attribute },
      ExpressionAttributeValues: { ':now': { N: String(nowS) }, ':oldest': { N: String(nowS - OLDEST_S) } },
    };
    // What is written while the items are being looked at lowers it again.
    table.earliest = Number.POSITIVE_INFINITY;
    let deleted = 0;
    for await (const item of store.items(TableName)) {
      const expiry = expiryOf(item, attribute);
      if (expiry === undefined || expiry < nowS - OLDEST_S) continue;
      if (expiry > nowS) {
        this.written(TableName, item);
        continue;
      }
      const gone = await call('DeleteItem', { TableName, Key: keyOf(schema, item), ...stillExpired });
      if (gone.status === 200) deleted++;
    }
    return deleted;
  }
}

/** Epoch seconds; undefined for an item that never expires. */
function expiryOf(item: Item, attribute: string): number | undefined {
  const text = item[attribute]?.N;
  return text === undefined ? undefined : Number(text);
}
