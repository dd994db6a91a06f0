import { expect, test } from 'vitest';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { WatchWorld } from '../support/watch-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-06-01T12:00:00Z');

const defined = (schedule: string | string[]): JobDefinition =>
  jobDefinition({ name: 'sync', schedule, overlap: 'allow', revision: String(schedule) });

test('only the real instants of an uneven interval are in the ledger, and none is missing', async () => {
  const world = new WatchWorld(new SeededRandom(1), START);
  world.deploy([defined(['@every 7h', '30 8 * * *'])]);
  await world.run(60 * 60);
  await world.settle();
  const rows = world.store.runs('sync');
  for (const { scheduledTime, status } of rows) {
    const isDue = scheduledTime % (7 * HOUR) === 0 || new Date(scheduledTime).toISOString().endsWith('T08:30:00.000Z');
    expect([new Date(scheduledTime).toISOString(), isDue, status]).toEqual([expect.anything(), true, 'succeeded']);
  }
  const { findings, expected } = await world.verify();
  expect(findings).toEqual([]);
  expect(expected).toBeGreaterThan(10);
  expect(rows.length).toBe(expected);
});

test('an interval that a deployment changes: the runs of both, nothing missed, nothing double', async () => {
  const world = new WatchWorld(new SeededRandom(2), START);
  world.deploy([defined('@every 5h')]);
  await world.run(20 * 60);
  const changedAt = world.now;
  world.deploy([defined('@every 7h')]);
  await world.run(30 * 60);
  await world.settle();
  const { findings } = await world.verify();
  expect(findings).toEqual([]);
  const wrong = world.store.runs('sync').filter(({ scheduledTime, status }) => {
    const every = scheduledTime <= changedAt ? 5 : 7;
    return status !== 'succeeded' || scheduledTime % (every * HOUR) !== 0;
  });
  expect(wrong).toEqual([]);
});
