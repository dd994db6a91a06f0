import { expect, test } from 'vitest';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { WatchWorld } from '../support/watch-world.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;

const job = (name: string, schedule: string | string[]): JobDefinition =>
  jobDefinition({ name, schedule, overlap: 'allow', revision: String(schedule) });

test('a time too soon after the synth gets no schedule, and the watchdog starts it in its minute', async () => {
  const world = new WatchWorld(new SeededRandom(1), NOON);
  const soon = job('soon', 'at(2026-06-01T12:10:00)');
  const list = job('list', ['at(2026-06-01T12:12:00)', '30 * * * *']);
  world.deploy([soon, list]);
  await world.run(11);
  // Deployed anew just after it: the schedule is left out for good.
  world.deploy([soon, list]);
  await world.run(60);
  await world.settle();
  expect(world.store.runs('soon')).toMatchObject([{ scheduledTime: NOON + 10 * MINUTE, status: 'succeeded' }]);
  const started = world.delivered.filter(({ trigger }) => trigger === 'schedule');
  expect(started.map(({ job, scheduledTime }) => `${job} ${(scheduledTime - NOON) / MINUTE}`)).toEqual([
    'soon 10',
    'list 12',
  ]);
  const { findings } = await world.verify();
  expect(findings).toEqual([]);
});

test('a time that EventBridge fired is not started again by a deployment that leaves it out', async () => {
  const world = new WatchWorld(new SeededRandom(1), NOON);
  const once = job('once', 'at(2026-06-01T13:00:00)');
  world.deploy([once]);
  await world.run(60);
  world.deploy([once]);
  await world.run(60);
  await world.settle();
  expect(world.store.runs('once')).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
  expect((await world.verify()).findings).toEqual([]);
});
