import { expect, test } from 'vitest';
import { jobDefinition } from '../support/job-definition.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { WatchWorld } from '../support/watch-world.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const former = jobDefinition({ schedule: '*/2 * * * *' });
const heir = jobDefinition({ schedule: '*/2 * * * *', name: 'heir', renamedFrom: 'sync' });

test.each([
  ['of the former name is deployed first', []],
  ['of the new name is deployed first', [former, heir]],
])('a job is renamed from one stack to another, and the stack %s: no occurrence is lost', async (_, between) => {
  const world = new WatchWorld(new SeededRandom(7), NOON);
  world.deploy([former]);
  await world.run(21);
  world.deploy(between);
  await world.run(5);
  world.deploy([heir]);
  await world.run(25);
  await world.settle();
  expect((await world.verify()).findings).toEqual([]);
  const recorded = new Set([...world.store.runs('sync'), ...world.store.runs('heir')].map((run) => run.scheduledTime));
  const due = Array.from({ length: 24 }, (_, index) => NOON + (index + 1) * 2 * MINUTE);
  expect(due.filter((instant) => !recorded.has(instant))).toEqual([]);
});
