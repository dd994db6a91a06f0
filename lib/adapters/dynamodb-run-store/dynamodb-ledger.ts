import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { instantOfRun, jobPartition, runSortKeys } from '../../domain/contract/run-table-keys.ts';
import type { RunRecord, RunStatus } from '../../domain/run/run-record.ts';
import type { LedgerRow } from '../../domain/verify/job-check.ts';
import type { AuditSource } from '../../domain/watch/ports.ts';
import { type Item, readRun } from './run-item.ts';
import { available } from './store-errors.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
/** A stretch of time with more rows than this is told of by `belfry verify`. */
const MOST_AUDITED = 1_000;
const ROW_ATTRIBUTES = ['sk', 'status', 'trigger', 'cause', 'updatedAt'];

/** Instants in epoch milliseconds, both inclusive. */
export interface RunRange {
  readonly from?: number;
  readonly to?: number;
}

/** Reads the run records of a job in order, a page at a time. */
export class DynamoDbLedger implements AuditSource {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /** What the proof looks at, oldest first. Keys that no run can have come too. */
  async *rows(job: string, range: RunRange): AsyncGenerator<readonly LedgerRow[]> {
    for await (const items of this.#pages(job, range, {
      ProjectionExpression: ROW_ATTRIBUTES.map((name) => `#${name}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(ROW_ATTRIBUTES.map((name) => [`#${name}`, name])),
    })) {
      yield items.map(readRow);
    }
  }

  async rowsBetween(job: string, from: number, to: number): Promise<readonly LedgerRow[]> {
    const rows: LedgerRow[] = [];
    for await (const page of this.rows(job, { from: from + 1_000, to })) {
      rows.push(...page);
      if (rows.length >= MOST_AUDITED) break;
    }
    return rows.slice(0, MOST_AUDITED);
  }

  /** Whole records, newest first. */
  async *runs(job: string, range: RunRange, pageSize: number): AsyncGenerator<readonly RunRecord[]> {
    for await (const items of this.#pages(job, range, { ScanIndexForward: false, Limit: pageSize })) {
      yield items.map((item) => readRun(item));
    }
  }

  async *#pages(
    job: string,
    range: RunRange,
    options: { readonly ExpressionAttributeNames?: Record<string, string>; readonly [option: string]: unknown },
  ): AsyncGenerator<Item[]> {
    const { ExpressionAttributeNames: names = {}, ...rest } = options;
    const { first, last } = runSortKeys(range);
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
        ExpressionAttributeNames: { ...names, '#pk': 'pk', '#sk': 'sk' },
        ExpressionAttributeValues: {
          ':pk': { S: jobPartition(job) },
          ':from': { S: first },
          ':to': { S: last },
        },
        ...rest,
      },
    );
    const pending = pages[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await available(pending.next());
      if (done === true) return;
      yield value?.Items ?? [];
    }
  }
}

/** A row of the ledger from its item. */
export function readRow(item: Item): LedgerRow {
  const key = item.sk?.S ?? '';
  const text = instantOfRun(key);
  const cause = item.cause?.S;
  const updatedAt = item.updatedAt?.N;
  return {
    key,
    scheduledTime: INSTANT.test(text) ? Date.parse(text) : undefined,
    status: (item.status?.S ?? 'running') as RunStatus,
    trigger: (item.trigger?.S ?? 'schedule') as LedgerRow['trigger'],
    ...(cause === undefined ? {} : { cause }),
    ...(updatedAt === undefined ? {} : { updatedAt: Number(updatedAt) }),
  };
}
