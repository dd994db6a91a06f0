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
