import { describe, expect, test } from 'vitest';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { WatchWorld } from '../support/watch-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-06-01T12:00:00Z');

const defined = (schedule: string, name = 'sync'): JobDefinition =>
  jobDefinition({ name, schedule, overlap: 'allow', revision: schedule });
const HOURLY = defined('0 * * * *');
const OFTEN = defined('*/10 * * * *');
const LATER = defined('30 * * * *');

/** Two hours of one definition, two of another that no sweep sees, and two of a third. */
async function story(unseen: readonly JobDefinition[], last: readonly JobDefinition[]) {
  const world = new WatchWorld(new SeededRandom(1), NOON - MINUTE);
  world.deploy([HOURLY]);
  await world.run(2 * 60);
  world.watchdogDown = true;
  world.deploy(unseen);
  await world.run(2 * 60);
  world.deploy(last);
  world.watchdogDown = false;
  await world.run(2 * 60);
  await world.settle();
  const { findings } = await world.verify();
  return { world, findings };
}

const hours = (at: number | undefined) => ((at ?? Number.NaN) - NOON) / HOUR;

describe('a definition that came and went while the watchdog was down', () => {
  test('promised nothing: its runs are named, and nothing of it is missed', async () => {
    const { world, findings } = await story([OFTEN], [LATER]);
    const named = findings.map(({ kind, scheduledTime }) => `${kind} ${hours(scheduledTime).toFixed(2)}`);
    // An hour around each deployment, rows of the definitions that are known are as they should be.
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['double']));
    expect(named).toContain('double 2.17');
    expect(named).toContain('double 3.83');
    const rows = world.store.runs('sync');
    expect(rows.filter(({ status }) => status === 'missed')).toEqual([]);
    expect(findings.every(({ scheduledTime }) => hours(scheduledTime) > 1.9 && hours(scheduledTime) < 4)).toBe(true);
  });

  test('and when the one before comes back, that one is taken to have held all the time', async () => {
    const { world } = await story([LATER], [HOURLY]);
    const missed = world.store.runs('sync').filter(({ status }) => status === 'missed');
    expect(missed.map(({ scheduledTime }) => hours(scheduledTime))).toEqual([2, 3]);
  });

  test('a job that was only in that one is not looked at', async () => {
    const { world, findings } = await story([HOURLY, defined('*/10 * * * *', 'guest')], [HOURLY]);
    expect(findings).toEqual([]);
    expect(world.store.runs('guest').length).toBeGreaterThan(10);
  });
});
