import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DynamoDbJobStates } from '../../lib/adapters/dynamodb-watch-store/dynamodb-job-states.ts';
import type { JobState } from '../../lib/domain/watch/job-state.ts';
import type { JobStateStore } from '../../lib/domain/watch/ports.ts';
import { startDynamoDb } from '../support/dynamodb-server.ts';
import { MemoryJobStates } from '../support/memory-job-states.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');

interface Opened {
  readonly store: JobStateStore;
  pause(job: string, pause: NonNullable<JobState['pause']>): Promise<void>;
}

const STORES: [string, () => Promise<Opened>][] = [
  [
    'memory',
    async () => {
      const store = new MemoryJobStates();
      return {
        store,
        pause: async (job, pause) => {
          store.states.set(job, { ...store.states.get(job), pause });
        },
      };
    },
  ],
  [
    'DynamoDB',
    async () => {
      const server = await startDynamoDb();
      onTestFinished(() => server[Symbol.asyncDispose]());
      await server.createTable('run-table');
      const client = server.client();
      return {
        store: new DynamoDbJobStates(client, 'run-table'),
        pause: async (job, { until, by = '', note = '' }) => {
          await client.send(
            new UpdateItemCommand({
              TableName: 'run-table',
              Key: { pk: { S: `J#${job}` }, sk: { S: '$' } },
              UpdateExpression: `SET paused = :yes, pausedBy = :by, pauseNote = :note, holder = :holder${until === undefined ? '' : ', pausedUntil = :until'}`,
              ExpressionAttributeValues: {
                ':yes': { BOOL: true },
                ':by': { S: by },
                ':note': { S: note },
                ':holder': { N: '7' },
                ...(until === undefined ? {} : { ':until': { N: String(until) } }),
              },
            }),
          );
        },
      };
    },
  ],
];

describe.each(STORES)('job states: %s', (_, open) => {
  test('only jobs that have a state are told of, many at once', async () => {
    const { store, pause } = await open();
    await pause('held', { by: 'ann', note: 'migration' });
    await store.saveTiming('sync', { averageMs: 1_500, samples: 12 }, undefined);
    const names = Array.from({ length: 250 }, (_, index) => `none-${index}`);
    expect(await store.loadJobStates([...names, 'sync', 'held'])).toEqual(
      new Map<string, JobState>([
        ['sync', { timing: { averageMs: 1_500, samples: 12 } }],
        ['held', { pause: { by: 'ann', note: 'migration' } }],
      ]),
    );
  });

  test('a pause ends if it is the one that was seen', async () => {
    const { store, pause } = await open();
    await pause('sync', { until: NOON, by: 'ann', note: '' });
    await store.saveTiming('sync', { averageMs: 100, samples: 1 }, undefined);
    expect(await store.endPause('sync', NOON + 1)).toBe(false);
    expect(await store.endPause('sync', NOON)).toBe(true);
    expect(await store.endPause('sync', NOON)).toBe(false);
    expect(await store.loadJobStates(['sync'])).toEqual(
      new Map([['sync', { timing: { averageMs: 100, samples: 1 } }]]),
    );
  });

  test('an average is saved over the one that it was learned from, and over no other', async () => {
    const { store, pause } = await open();
    await pause('sync', { by: 'ann', note: 'migration' });
    const [first, second, third] = [1, 2, 3].map((samples) => ({ averageMs: 100 * samples, samples }));
    if (first === undefined || second === undefined || third === undefined) throw new Error('unreachable');
    const stored = async () => (await store.loadJobStates(['sync'])).get('sync')?.timing;
    expect(await store.saveTiming('sync', first, undefined)).toBe(true);
    expect(await store.saveTiming('sync', second, undefined)).toBe(false);
    expect(await store.saveTiming('sync', second, first)).toBe(true);
    expect(await store.saveTiming('sync', third, first)).toBe(false);
    expect(await stored()).toEqual(second);
    expect(await store.saveTiming('sync', third, second)).toBe(true);
    expect(await stored()).toEqual(third);
  });

  test('where none stands any more, one is saved', async () => {
    const { store } = await open();
    expect(await store.saveTiming('sync', { averageMs: 100, samples: 7 }, { averageMs: 90, samples: 6 })).toBe(true);
  });

  test('a pause without an end is not taken away', async () => {
    const { store, pause } = await open();
    await pause('sync', {});
    expect(await store.endPause('sync', NOON)).toBe(false);
  });
});
