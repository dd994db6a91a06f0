import { describe, expect, test } from 'vitest';
import { TimingMemory } from '../../lambdas/watchdog/timing-memory.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { sweepOnce } from '../support/sweep-once.ts';
import { watched } from '../support/watched.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.parse('2026-06-01T12:00:00Z');

/** A watchdog that learns from runs of the job 'sync'; `again()` is a process of its own with the same table. */
function learning(schedule = '* * * * *') {
  const { ledger, jobStates, dependencies } = watched(jobDefinition({ schedule }));
  const own = dependencies();
  const process = (timings: TimingMemory) => ({
    /** The run that was due then took so long, and is looked at two minutes later. */
    sweepAfter: async (scheduledTime: number, tookMs: number) => {
      const claimedAt = scheduledTime + 500;
      ledger.set({ job: 'sync', scheduledTime, status: 'succeeded', claimedAt, updatedAt: claimedAt + tookMs });
      return sweepOnce({ ...own, timings }, scheduledTime + 2 * MINUTE);
    },
  });
  return {
    jobStates,
    begin: () => sweepOnce(own, NOON),
    stored: () => jobStates.states.get('sync')?.timing ?? { averageMs: Number.NaN, samples: 0 },
    again: () => process(new TimingMemory()),
  };
}

describe('what a sweep writes of averages', () => {
  test('is nothing in most minutes, whatever the runs take', async () => {
    const { jobStates, begin, again } = learning();
    await begin();
    const process = again();
    for (let n = 1; n <= 11; n++) await process.sweepAfter(NOON + n * MINUTE, 1_000);
    const before = jobStates.requests.saves;
    for (let n = 12; n < 12 + 600; n++) await process.sweepAfter(NOON + n * MINUTE, 500 + ((n * 7_919) % 1_000));
    expect(jobStates.requests.saves - before).toBeGreaterThan(0);
    expect(jobStates.requests.saves - before).toBeLessThanOrEqual(10);
    expect(jobStates.requests.loads).toBe(1);
  });

  test('is, within a few runs, what a job takes from now on', async () => {
    const { begin, again, stored } = learning();
    await begin();
    const process = again();
    for (let n = 1; n <= 20; n++) await process.sweepAfter(NOON + n * MINUTE, 10_000);
    for (let n = 21; n <= 30; n++) await process.sweepAfter(NOON + n * MINUTE, 15_000);
    expect(stored().averageMs).toBeGreaterThan(13_000);
    for (let n = 31; n <= 45; n++) await process.sweepAfter(NOON + n * MINUTE, 5_000);
    expect(stored().averageMs).toBeLessThan(6_500);
  });

  test('keeps up with a job that runs once in the life of a process', async () => {
    const { begin, again, stored } = learning('0 12 * * *');
    await begin();
    for (let day = 1; day <= 15; day++) await again().sweepAfter(NOON + day * DAY, 60_000);
    // Slower by a fiftieth each day: by so little that no day alone would be worth a write.
    for (let day = 16; day <= 60; day++) await again().sweepAfter(NOON + day * DAY, 60_000 * 1.02 ** (day - 15));
    const lately = 60_000 * 1.02 ** 45;
    expect(stored().averageMs).toBeGreaterThan(0.8 * lately);
  });

  test('leaves a process that begins anew enough to call a run slow', async () => {
    const { begin, again } = learning();
    await begin();
    const first = again();
    for (let n = 1; n <= 30; n++) await first.sweepAfter(NOON + n * MINUTE, 10_000);
    const { findings } = await again().sweepAfter(NOON + 31 * MINUTE, 21_000);
    expect(findings).toMatchObject([{ kind: 'slow', observedMs: 21_000, limitMs: 20_000 }]);
  });
});

describe('two watchdogs that learn', () => {
  test('never take back what the other has saved', async () => {
    const { begin, again, stored } = learning();
    await begin();
    const [one, other] = [again(), again()];
    for (let n = 1; n <= 12; n++) await one.sweepAfter(NOON + n * MINUTE, 10_000);
    await other.sweepAfter(NOON + 13 * MINUTE, 10_000);
    // The job has become slower, and only one of them sees it.
    for (let n = 14; n <= 40; n++) await one.sweepAfter(NOON + n * MINUTE, 30_000);
    const saved = stored();
    expect(saved.averageMs).toBeGreaterThan(27_000);
    // From ten seconds this one would save that the job has become quicker.
    await other.sweepAfter(NOON + 41 * MINUTE, 4_000);
    expect(stored()).toEqual(saved);
    // It has read the other's and goes on from there.
    for (let n = 42; n <= 50; n++) await other.sweepAfter(NOON + n * MINUTE, 4_000);
    expect(stored().samples).toBeGreaterThan(saved.samples);
    expect(stored().averageMs).toBeLessThan(10_000);
  });
});

test('an average that could not be saved is saved by the next sweep', async () => {
  const { jobStates, begin, again, stored } = learning('0 * * * *');
  await begin();
  const process = again();
  const { saveTiming } = jobStates;
  let tried = 0;
  jobStates.saveTiming = () => {
    tried += 1;
    return Promise.reject(new Error('refused for want of capacity'));
  };
  await process.sweepAfter(NOON + HOUR, 10_000);
  expect([tried, stored().samples]).toEqual([1, 0]);
  jobStates.saveTiming = saveTiming;
  await process.sweepAfter(NOON + HOUR + MINUTE, 10_000);
  expect(stored()).toEqual({ averageMs: 10_000, samples: 1 });
});

test('what another watchdog saved counts as soon as it is read', () => {
  const timings = new TimingMemory();
  timings.read('sync', { averageMs: 10_000, samples: 20 });
  timings.learn('sync', { averageMs: 10_100, samples: 21 }, NOON);
  timings.read('sync', { averageMs: 10_000, samples: 20 });
  expect(timings.timingOf('sync')).toEqual({ averageMs: 10_100, samples: 21 });
  timings.learn('sync', { averageMs: 12_000, samples: 22 }, NOON);
  expect(timings.unsaved(10)).toMatchObject([{ job: 'sync', before: { samples: 20 } }]);
  timings.read('sync', { averageMs: 30_000, samples: 40 });
  expect([timings.timingOf('sync'), timings.unsaved(10)]).toEqual([{ averageMs: 30_000, samples: 40 }, []]);
});
