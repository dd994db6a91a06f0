import type { Item } from './expression/attribute-value.ts';
import { type Answer, type Body, type Forward, invalid } from './front-types.ts';
import type { TableKeys } from './table-keys.ts';

/** AWS deletes within days; here it happens at most this often, on the clock that is passed in. */
const SWEEP_EVERY_MS = 6 * 3_600_000;
/** Items that expired longer ago are left alone, as on AWS: their attribute is taken to mean something else. */
const OLDEST_S = 5 * 365 * 86_400;

/** Time to live: tables whose items carry the second in which they expire. */
export class TimeToLive {
  readonly #forward: Forward;
  readonly #tableKeys: TableKeys;
  readonly #now: () => number;
  readonly #attributes = new Map<string, string>();
  #sweptAt: number;

  constructor(forward: Forward, tableKeys: TableKeys, now: () => number) {
    this.#forward = forward;
    this.#tableKeys = tableKeys;
    this.#now = now;
    this.#sweptAt = now();
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
    const current = this.#attributes.get(tableName);
    if (Enabled && current !== undefined) throw invalid('TimeToLive is already enabled');
    if (!Enabled && current === undefined) throw invalid('TimeToLive is already disabled');
    if (Enabled) this.#attributes.set(tableName, AttributeName);
    else this.#attributes.delete(tableName);
    return { status: 200, body: { TimeToLiveSpecification: { Enabled, AttributeName } } };
  }

  async describe(body: Body): Promise<Answer> {
    const tableName = String(body.TableName);
    const missing = await this.#missing(tableName);
    if (missing !== undefined) return missing;
    const AttributeName = this.#attributes.get(tableName);
    const TimeToLiveDescription =
      AttributeName === undefined ? { TimeToLiveStatus: 'DISABLED' } : { TimeToLiveStatus: 'ENABLED', AttributeName };
    return { status: 200, body: { TimeToLiveDescription } };
  }

  async #missing(tableName: string): Promise<Answer | undefined> {
    const answer = await this.#forward('DescribeTable', { TableName: tableName });
    return answer.status === 200 ? undefined : answer;
  }

  get sweepIsDue(): boolean {
    return this.#attributes.size > 0 && this.#now() - this.#sweptAt >= SWEEP_EVERY_MS;
  }

  /** Deletes what has expired. Returns how many items. */
  async sweep(): Promise<number> {
    this.#sweptAt = this.#now();
    let deleted = 0;
    for (const [tableName, attribute] of this.#attributes) deleted += await this.#sweepTable(tableName, attribute);
    return deleted;
  }

  async #sweepTable(TableName: string, attribute: string): Promise<number> {
    const nowS = Math.floor(this.#now() / 1000);
    const expired = {
      ExpressionAttributeNames: { '#expiry': attribute },
      ExpressionAttributeValues: { ':now': { N: String(nowS) }, ':oldest': { N: String(nowS - OLDEST_S) } },
    };
    const condition = '#expiry BETWEEN :oldest AND :now';
    let deleted = 0;
    let ExclusiveStartKey: unknown;
    do {
      const from = ExclusiveStartKey === undefined ? {} : { ExclusiveStartKey };
      const page = await this.#forward('Scan', { TableName, FilterExpression: condition, ...expired, ...from });
      if (page.status !== 200) return deleted;
      for (const item of (page.body.Items ?? []) as readonly Item[]) {
        const Key = await this.#tableKeys.keyOf(TableName, item, false);
        const gone = await this.#forward('DeleteItem', { TableName, Key, ConditionExpression: condition, ...expired });
        if (gone.status === 200) deleted++;
      }
      ExclusiveStartKey = page.body.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return deleted;
  }
}
