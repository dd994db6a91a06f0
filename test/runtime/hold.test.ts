import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { MemoryRunStore, SettableClock, testJob } from '../../lambdas/runtime/testing/index.ts';

const times = ['2026-11-02T13:00:00Z', '2026-11-02T14:00:00Z', '2026-11-02T15:00:00Z'] as const;

test.each(['skip', 'bufferOne', 'cancelOther', 'allow'] as const)(
  'with overlap %s a run that timed out holds the job until a person resumes it',
  async (overlap) => {
    const store = new MemoryRunStore<TransactWriteItem>();
    const job = { overlap, timeoutMs: 60_000, onTimeout: 'hold' } as const;
    const clock = new SettableClock(times[0]);
    const slow = await testJob(
      ({ signal }) => {
        clock.advance(61_000);
        signal.throwIfAborted();
      },
      { scheduledTime: times[0], now: clock, store, job },
    );
    expect(slow.run).toMatchObject({ status: 'timedOut', cause: 'held' });

    const held = await testJob(() => {}, { scheduledTime: times[1], store, job });
    expect(held.run).toMatchObject({ status: 'skipped', cause: 'paused' });

    await store.resume(held.run.job);
    expect((await testJob(() => {}, { scheduledTime: times[2], store, job })).run.status).toBe('succeeded');
  },
);

test.each([
  [true, 'skipped', 2],
  [false, 'succeeded', 1],
])('with overlap allow and pausable: %s a run of a paused job is %s', async (pausable, status, reads) => {
  const store = new MemoryRunStore<TransactWriteItem>();
  let turnsRead = 0;
  const getTurn = store.getTurn.bind(store);
  store.getTurn = (job) => {
    turnsRead++;
    return getTurn(job);
  };
  const job = { overlap: 'allow', pausable } as const;
  await store.pause('job-under-test', { by: 'ann', note: 'moving' });
  const { run } = await testJob(() => {}, { scheduledTime: times[0], store, job });
  expect(run.status).toBe(status);
  expect(turnsRead, 'by the pause, and by each run that looks').toBe(reads);
});
