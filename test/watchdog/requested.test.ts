import { expect, test } from 'vitest';
import { watchManifest } from '../../lambdas/watchdog/watched-manifest.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { sweepOnce } from '../support/sweep-once.ts';
import { watched } from '../support/watched.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const at = (minutes: number) => NOON + minutes * MINUTE;

/** A watchdog of a job that is due once a year, and what people asked for. */
async function asked(job: Partial<JobDefinition>, ...minutes: number[]) {
  const { ledger, invoker, jobStates, watchStore, dependencies } = watched(
    jobDefinition({ schedule: '0 0 1 1 *', ...job }),
  );
  const keys = minutes.map((minute) => ({ job: 'sync', scheduledTime: at(minute) }));
  watchStore.requested = keys;
  for (const key of keys) {
    ledger.set({ ...key, status: 'pending', trigger: 'backfill', fencingToken: 0, attempts: 0, nextAttemptAt: at(0) });
  }
  await sweepOnce(dependencies(), NOON);
  return {
    keys,
    ledger,
    jobStates,
    book: () => watchStore.requested,
    /** What the sweep of that minute delivers, as minutes. */
    sweepAt: async (minute: number) => {
      const { done } = await sweepOnce(dependencies(), at(minute));
      const delivered = invoker.delivered.splice(0).map(({ scheduledTime }) => (scheduledTime - NOON) / MINUTE);
      return { delivered, done: done.map(({ type }) => type) };
    },
  };
}

test('runs that exclude each other start one after the other, the oldest first, and none is given up meanwhile', async () => {
  const { keys, ledger, sweepAt, book } = await asked({}, -3, -2, -1);
  expect((await sweepAt(1)).delivered).toEqual([-3]);
  expect(book()).toEqual([]);
  ledger.set({ ...keys[0], job: 'sync', scheduledTime: at(-3), fencingToken: 1, leaseExpiresAt: at(600) });
  for (let minute = 2; minute < 500; minute += 10) expect((await sweepAt(minute)).done).toEqual([]);
  ledger.set({ job: 'sync', scheduledTime: at(-3), status: 'succeeded', trigger: 'backfill' });
  expect((await sweepAt(501)).delivered).toEqual([-2]);
  ledger.set({ job: 'sync', scheduledTime: at(-2), status: 'failed', trigger: 'backfill' });
  expect((await sweepAt(502)).delivered).toEqual([-1]);
});

test('runs that may overlap start together', async () => {
  const { sweepAt } = await asked({ overlap: 'allow' }, -3, -2, -1);
  expect((await sweepAt(1)).delivered.sort()).toEqual([-1, -2, -3]);
});

test('a retry is delivered, also while the job is paused', async () => {
  const { ledger, jobStates, sweepAt } = await asked({}, -1);
  jobStates.states.set('sync', { pause: { by: 'ann' } });
  expect((await sweepAt(1)).delivered).toEqual([-1]);
  const failed = { job: 'sync', scheduledTime: at(-1), status: 'pending', trigger: 'manual', attempts: 1 } as const;
  ledger.set({ ...failed, fencingToken: 1, nextAttemptAt: at(5) });
  expect((await sweepAt(4)).delivered).toEqual([]);
  expect((await sweepAt(5)).delivered).toEqual([-1]);
});

test('what was asked for of a job that is disabled has an outcome, too', async () => {
  const { ledger, invoker, watchStore, dependencies } = watched();
  const functions = { sync: 'belfry-test-sync' };
  const manifest = watchManifest({
    version: 1,
    environment: 'test',
    scheduler: 'test',
    jobsStacks: 'test/jobs',
    jobs: [],
    disabled: [jobDefinition()],
    functions,
  });
  const key = { job: 'sync', scheduledTime: at(-1) };
  ledger.set({ ...key, trigger: 'manual', leaseExpiresAt: at(-1) });
  await sweepOnce({ ...dependencies(), manifest }, NOON);
  watchStore.requested = [key];
  await sweepOnce({ ...dependencies(), manifest }, at(2));
  expect(invoker.delivered).toEqual([{ ...key, trigger: 'manual' }]);
  ledger.set({ ...key, trigger: 'manual', fencingToken: 3, attempts: 3, leaseExpiresAt: at(3) });
  await sweepOnce({ ...dependencies(), manifest }, at(6));
  expect(ledger.statusOf(key)).toBe('failed');
});

test('what was asked for and has no record is nobody’s miss', async () => {
  const { ledger, sweepAt } = await asked({}, -1);
  ledger.runs.clear();
  for (let minute = 1; minute < 90; minute++) expect(await sweepAt(minute)).toEqual({ delivered: [], done: [] });
});

test('one that is still to become due waits in the book', async () => {
  const { book, sweepAt } = await asked({}, 3);
  await sweepAt(2);
  expect(book()).toHaveLength(1);
  expect((await sweepAt(3)).delivered).toEqual([3]);
  expect(book()).toEqual([]);
});
