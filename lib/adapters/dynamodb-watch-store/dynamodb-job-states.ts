import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { jobOfPartition, jobPartition, STATE_SORT_KEY } from '../../domain/contract/run-table-keys.ts';
import type { JobState, JobTiming } from '../../domain/watch/job-state.ts';
import type { JobStateStore } from '../../domain/watch/ports.ts';

const KEYS_PER_REQUEST = 100;
const ATTRIBUTES = [
  'pk',
  'paused',
  'pausedBy',
  'pauseNote',
  'pausedAt',
  'pausedUntil',
  'averageDurationMs',
  'durationSamples',
];

type Item = Record<string, AttributeValue>;

/** The item that each job has beside its runs: the turn is in it too, and stays as it is. */
export class DynamoDbJobStates implements JobStateStore {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  async loadJobStates(jobs: readonly string[]): Promise<ReadonlyMap<string, JobState>> {
    const waiting = [...new Set(jobs)].map(keyOf);
    const states = new Map<string, JobState>();
    while (waiting.length > 0) {
      const request = {
        Keys: waiting.splice(0, KEYS_PER_REQUEST),
        ConsistentRead: true,
        ProjectionExpression: ATTRIBUTES.map((name) => `#${name}`).join(', '),
        ExpressionAttributeNames: Object.fromEntries(ATTRIBUTES.map((name) => [`#${name}`, name])),
      };
      const { Responses, UnprocessedKeys } = await this.#client.send(
        new BatchGetItemCommand({ RequestItems: { [this.#tableName]: request } }),
      );
      for (const item of Responses?.[this.#tableName] ?? []) {
        states.set(jobOfPartition(item.pk?.S ?? ''), readState(item));
      }
      waiting.push(...(UnprocessedKeys?.[this.#tableName]?.Keys ?? []));
    }
    return states;
  }

  async saveTiming(job: string, timing: JobTiming, before: JobTiming | undefined): Promise<boolean> {
    // Each average that is saved is of more runs than the one before it.
    const isNew = 'attribute_not_exists(#durationSamples)';
    const average = String(Math.round(timing.averageMs));
    const refused = await this.#update(job, {
      UpdateExpression: 'SET #averageDurationMs = :average, #durationSamples = :samples',
      ConditionExpression: before === undefined ? isNew : `${isNew} OR #durationSamples = :before`,
      ExpressionAttributeNames: { '#averageDurationMs': 'averageDurationMs', '#durationSamples': 'durationSamples' },
      ExpressionAttributeValues: {
        ':average': { N: average },
        ':samples': { N: String(timing.samples) },
        ...(before === undefined ? {} : { ':before': { N: String(before.samples) } }),
      },
    });
    // What was to be saved stands there: the answer was lost, and the request sent again.
    return (
      refused === undefined ||
      (refused.durationSamples?.N === String(timing.samples) && refused.averageDurationMs?.N === average)
    );
  }

  async endPause(job: string, until: number): Promise<boolean> {
    const refused = await this.#update(job, {
      UpdateExpression: 'REMOVE #paused, #pausedBy, #pauseNote, #pausedAt, #pausedUntil',
      // Paused again in the meantime, it has another end, or none.
      ConditionExpression: '#paused = :true AND #pausedUntil = :until',
      ExpressionAttributeNames: Object.fromEntries(
        ['paused', 'pausedBy', 'pauseNote', 'pausedAt', 'pausedUntil'].map((name) => [`#${name}`, name]),
      ),
      ExpressionAttributeValues: { ':true': { BOOL: true }, ':until': { N: String(until) } },
    });
    return refused === undefined;
  }

  /** Undefined when it was done. When its condition does not hold: the item that stands, as far as the error shows it. */
  async #update(job: string, update: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>): Promise<Item | undefined> {
    try {
      await this.#client.send(
        new UpdateItemCommand({
          ...update,
          TableName: this.#tableName,
          Key: keyOf(job),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return undefined;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return error.Item ?? {};
      throw error;
    }
  }
}

function keyOf(job: string): Item {
  return { pk: { S: jobPartition(job) }, sk: { S: STATE_SORT_KEY } };
}

function readState(item: Item): JobState {
  const until = item.pausedUntil?.N;
  const by = item.pausedBy?.S;
  const note = item.pauseNote?.S;
  const at = item.pausedAt?.N;
  const average = item.averageDurationMs?.N;
  return {
    ...(item.paused?.BOOL === true
      ? {
          pause: {
            ...(until === undefined ? {} : { until: Number(until) }),
            ...(by === undefined ? {} : { by }),
            ...(note === undefined ? {} : { note }),
            ...(at === undefined ? {} : { at: Number(at) }),
          },
        }
      : {}),
    ...(average === undefined
      ? {}
      : { timing: { averageMs: Number(average), samples: Number(item.durationSamples?.N ?? 1) } }),
  };
}
