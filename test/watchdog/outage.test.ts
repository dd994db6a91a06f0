import { describe, expect, test } from 'vitest';
import type { CatchUpPolicy } from '../../lib/domain/job.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { WatchWorld } from '../support/watch-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-06-01T12:00:00Z');

/** An hourly job, and nothing of AWS works for so many hours. Returns how many runs began late, and how many were missed. */
async function outage(periods: number, catchUp: CatchUpPolicy): Promise<string> {
  const world = new WatchWorld(new SeededRandom(periods), NOON - 5 * MINUTE);
  world.deploy([jobDefinition({ schedule: '30 * * * *', catchUp })]);
  await world.run(10);
  world.outage = true;
  await world.run(periods * 60);
  world.outage = false;
  await world.run(20);
  const runs = world.store.runs('sync');
  const caughtUp = runs.filter(({ trigger, status }) => trigger === 'catchUp' && status === 'succeeded').length;
  const missed = runs.filter(({ status }) => status === 'missed').length;
  expect((await world.verify()).findings).toEqual([]);
  return `${caughtUp}+${missed}`;
}

describe('after an outage of 0 to 10 periods (late starts + missed)', () => {
  const DAY = 24 * HOUR;
  test.each<[string, CatchUpPolicy, string]>([
    ['none', { policy: 'none', maxAgeMs: DAY, maxRuns: 5 }, '0+0 0+1 0+2 0+3 0+4 0+5 0+6 0+7 0+8 0+9 0+10'],
    ['latest', { policy: 'latest', maxAgeMs: DAY, maxRuns: 5 }, '0+0 1+0 1+1 1+2 1+3 1+4 1+5 1+6 1+7 1+8 1+9'],
    [
      'latest, too old',
      { policy: 'latest', maxAgeMs: 20 * MINUTE, maxRuns: 1 },
      '0+0 0+1 0+2 0+3 0+4 0+5 0+6 0+7 0+8 0+9 0+10',
    ],
    ['all', { policy: 'all', maxAgeMs: DAY, maxRuns: 100 }, '0+0 1+0 2+0 3+0 4+0 5+0 6+0 7+0 8+0 9+0 10+0'],
    ['all, three at most', { policy: 'all', maxAgeMs: DAY, maxRuns: 3 }, '0+0 1+0 2+0 3+0 3+1 3+2 3+3 3+4 3+5 3+6 3+7'],
    [
      'all, of four hours',
      { policy: 'all', maxAgeMs: 4 * HOUR, maxRuns: 100 },
      '0+0 1+0 2+0 3+0 4+0 4+1 4+2 4+3 4+4 4+5 4+6',
    ],
    [
      'harmful when late',
      { policy: 'all', maxAgeMs: DAY, maxRuns: 9, harmfulWhenLate: true },
      '0+0 0+1 0+2 0+3 0+4 0+5 0+6 0+7 0+8 0+9 0+10',
    ],
  ])('%s', async (_, catchUp, expected) => {
    const told = [];
    for (let periods = 0; periods <= 10; periods++) told.push(await outage(periods, catchUp));
    expect(told.join(' ')).toBe(expected);
  });
});

test('a table restored from a backup a month old starts no more than maxRuns', async () => {
  const world = new WatchWorld(new SeededRandom(1), NOON);
  const catchUp = { policy: 'all', maxAgeMs: 365 * 24 * HOUR, maxRuns: 3 } as const;
  world.deploy([jobDefinition({ schedule: '30 * * * *', catchUp, overlap: 'allow' })]);
  await world.run(10);
  world.now += 31 * 24 * HOUR;
  await world.run(30);
  expect(world.delivered.map(({ scheduledTime }) => scheduledTime)).toHaveLength(3);
  expect(world.store.runs('sync').filter(({ status }) => status === 'missed')).toHaveLength(31 * 24 - 3);
});
