import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { TEXT_LIMIT } from '../../domain/contract/limits.ts';
import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import { RETENTION_MS } from '../../domain/contract/retention.ts';
import type { Trigger } from '../../domain/job.ts';
import type { OperatorRequest, OperatorStore } from '../../domain/operate/ports.ts';
import type { RunRecord, TurnRecord } from '../../domain/run/run-record.ts';
import { shorten } from '../../domain/run/shorten.ts';
import { batchGetRuns } from './batch-get-runs.ts';
import { PENDING, ZERO } from './claim-write.ts';
import { OPERATOR_PAUSE, operatorSkipWith, resumeWith, WITHDRAW } from './operator-expressions.ts';
import { type Item, readTurn, runItemKey, turnItemKey } from './run-item.ts';
import { n, RunTable, s } from './run-table.ts';
import { Refused, translate } from './store-errors.ts';

/** What is kept of who asked, and of why a run exists, in bytes: the run's result or error must still fit beside them. */
const NAME_LIMIT = 64;
const RUN_NOTE_LIMIT = 160;

/** What people ask for, in the run table: who, why and when stand in the record that it is about. */
export class DynamoDbOperatorStore implements OperatorStore {
  readonly #table: RunTable;
  readonly #retentionMs: number;

  constructor(client: DynamoDBClient, tableName: string, options: { readonly retentionMs?: number } = {}) {
    this.#table = new RunTable(client, tableName);
    this.#retentionMs = options.retentionMs ?? RETENTION_MS;
  }

  getRuns(keys: readonly OccurrenceKey[]): Promise<readonly RunRecord[]> {
    return batchGetRuns(this.#table, keys);
  }

  async getTurn(job: string): Promise<TurnRecord> {
    return readTurn(job, await this.#table.get(turnItemKey(job)));
  }

  async pause(job: string, { by, note = '' }: OperatorRequest, now: number): Promise<boolean> {
    const values = {
      ':paused': { BOOL: true },
      ':by': name(by),
      ':note': s(shorten(note, TEXT_LIMIT)),
      ':now': n(now),
    };
    const written = await this.#table.update(turnItemKey(job), OPERATOR_PAUSE, values);
    return this.#isDone(written, turnItemKey(job), { pausedBy: name(by), pausedAt: n(now) });
  }

  async resume(job: string, { by, note }: OperatorRequest, now: number): Promise<boolean> {
    const written = await this.#table.update(turnItemKey(job), resumeWith(note !== undefined), {
      ':paused': { BOOL: true },
      ':by': name(by),
      ':now': n(now),
      ...(note === undefined ? {} : { ':note': s(shorten(note, TEXT_LIMIT)) }),
    });
    return this.#isDone(written, turnItemKey(job), { resumedBy: name(by), resumedAt: n(now) });
  }

  async skip(key: OccurrenceKey, { by, note }: OperatorRequest, now: number): Promise<boolean> {
    const written = await this.#table.update(runItemKey(key), operatorSkipWith(note !== undefined), {
      ':status': s('skipped'),
      ':pending': PENDING,
      ':zero': ZERO,
      ':now': n(now),
      ':by': name(by),
      ':cause': s(shorten(`requested by ${by}`, TEXT_LIMIT)),
      ':trigger': s('schedule'),
      ':expiresAt': this.#expiresAt(key, now),
      ...(note === undefined ? {} : { ':note': s(shorten(note, RUN_NOTE_LIMIT)) }),
    });
    return this.#isDone(written, runItemKey(key), { status: s('skipped'), requestedBy: name(by), requestedAt: n(now) });
  }

  async request(
    key: OccurrenceKey,
    { by, note, trigger }: OperatorRequest & { readonly trigger: Trigger },
    now: number,
  ): Promise<boolean> {
    // A clock that stands still gives the same instant to everybody who asks.
    const requestToken = s(randomUUID());
    const refused = await this.#table.putIfAbsent({
      ...runItemKey(key),
      status: PENDING,
      // Its function's clock may be behind: what is asked for now is not early.
      nextAttemptAt: n(Math.min(key.scheduledTime, now)),
      trigger: s(trigger),
      fencingToken: ZERO,
      attempts: ZERO,
      updatedAt: n(now),
      expiresAt: this.#expiresAt(key, now),
      requestedBy: name(by),
      requestedAt: n(now),
      requestToken,
      ...(note === undefined ? {} : { requestNote: s(shorten(note, RUN_NOTE_LIMIT)) }),
    });
    return this.#isDone(refused, runItemKey(key), { requestToken });
  }

  async withdraw(key: OccurrenceKey, now: number): Promise<void> {
    const { client, tableName } = this.#table;
    try {
      await client.send(
        new DeleteItemCommand({
          TableName: tableName,
          Key: runItemKey(key),
          ...WITHDRAW,
          ExpressionAttributeValues: { ':pending': PENDING, ':zero': ZERO, ':now': n(now) },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw translate(error);
    }
  }

  /** A refused write was this very one all the same when the record shows it: its response was lost. */
  async #isDone(written: UpdateItemCommandOutput | Refused | undefined, key: Item, marks: Item): Promise<boolean> {
    if (!(written instanceof Refused)) return true;
    const found = written.item ?? (await this.#table.get(key));
    return Object.entries(marks).every(([name, value]) => {
      const there = found?.[name];
      return there !== undefined && there.S === value.S && there.N === value.N;
    });
  }

  /** What is recorded ahead of its time is kept as long after it. */
  #expiresAt({ scheduledTime }: OccurrenceKey, now: number) {
    return n(Math.floor((Math.max(scheduledTime, now) + this.#retentionMs) / 1000));
  }
}

function name(by: string): AttributeValue {
  return s(shorten(by, NAME_LIMIT));
}
