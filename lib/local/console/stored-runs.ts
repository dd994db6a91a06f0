import { type AttributeValue, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { readRun } from '../../adapters/dynamodb-run-store/run-item.ts';
import { checkpointSortKeys, jobPartition, runSortKey, runSortKeys } from '../../domain/contract/run-table-keys.ts';
import type { RunRecord } from '../../domain/run/run-record.ts';

type Item = Record<string, AttributeValue>;

/** What the console reads of the run table beyond the run protocol. */
export class StoredRuns {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /** The runs of a job that were due from `from` on. */
  async since(job: string, from: number): Promise<RunRecord[]> {
    const { first, last } = runSortKeys({ from });
    const items = await this.#query('pk = :pk AND sk BETWEEN :from AND :to', {
      ':pk': { S: jobPartition(job) },
      ':from': { S: first },
      ':to': { S: last },
    });
    return items.map(readRun);
  }

  /** The items of one run as they are stored: its record, and checkpoints that were too large for it. */
  async behind(job: string, scheduledTime: number): Promise<{ readonly [attribute: string]: unknown }[]> {
    const items: Item[] = [];
    for (const prefix of [runSortKey(scheduledTime), checkpointSortKeys(scheduledTime)]) {
      const values = { ':pk': { S: jobPartition(job) }, ':prefix': { S: prefix } };
      items.push(...(await this.#query('pk = :pk AND begins_with(sk, :prefix)', values)));
    }
    return items.map((item) => Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)])));
  }

  async #query(condition: string, values: Item): Promise<Item[]> {
    const items: Item[] = [];
    let from: Item | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: condition,
          ExpressionAttributeValues: values,
          ConsistentRead: true,
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
        }),
      );
      items.push(...(page.Items ?? []));
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
    return items;
  }
}

/** Records hold texts, numbers and truths; anything else is shown as it is. */
function plain(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  return value.BOOL ?? value;
}
