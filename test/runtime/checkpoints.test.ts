import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import type { JobRun } from '../../lambdas/runtime/index.ts';
import { MemoryRunStore, SettableClock, testJob } from '../../lambdas/runtime/testing/index.ts';
import type { Renewal } from '../../lib/domain/ports.ts';
import type { Claim } from '../../lib/domain/run/run-record.ts';

const scheduledTime = '2026-11-02T13:00:00Z';
const retry = { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 10_000, maxDelayMs: 10_000 } as const;
const put = (id: string) => ({ Put: { TableName: 'reminders', Item: { id: { S: id } } } });
const TOO_LARGE = 'x'.repeat(400_000);

/** A table whose first renewal takes longer than the later ones. */
class SlowFirstRenewal extends MemoryRunStore<TransactWriteItem> {
  #renewals = 0;

  override async renew(claim: Claim, renewal: Renewal, now: number) {
    if (++this.#renewals === 1) await new Promise((resolve) => setTimeout(resolve, 20));
    return super.renew(claim, renewal, now);
  }
}

describe('steps', () => {
  test('that end at the same time are all kept, whichever request is slower', async () => {
    const done: string[] = [];
    const work = (run: JobRun) => (name: string) => run.step(name, () => void done.push(name));
    const { run } = await testJob(
      async (run) => {
        await Promise.all(['a', 'b', 'c'].map(work(run)));
        if (run.attempt === 1) throw new Error('not yet');
      },
      { scheduledTime, store: new SlowFirstRenewal(), job: { retry } },
    );
    expect(run.status).toBe('succeeded');
    expect(done).toEqual(['a', 'b', 'c']);
  });

  test.each([
    ['null', null],
    ['nothing', undefined],
    ['false', false],
    ['an empty list', []],
  ])('that return %s return it to later attempts too', async (_, value) => {
    const seen: unknown[] = [];
    await testJob(
      async (run) => {
        seen.push(await run.step('__proto__', () => (run.attempt === 1 ? value : 'done again')));
        if (run.attempt === 1) throw new Error('not yet');
      },
      { scheduledTime, job: { retry } },
    );
    expect(seen).toEqual([value, value]);
  });

  test('after one that was too large are kept', async () => {
    let small = 0;
    const errors: unknown[] = [];
    const { run } = await testJob(
      async (run) => {
        await run.step('large', () => TOO_LARGE).catch((error: unknown) => errors.push(error));
        await run.step('small', () => ++small);
        if (run.attempt === 1) throw new Error('not yet');
      },
      { scheduledTime, job: { retry } },
    );
    expect(run.status).toBe('succeeded');
    expect(small).toBe(1);
    expect(errors).toMatchObject([{ code: 'CheckpointTooLarge' }, { code: 'CheckpointTooLarge' }]);
  });

  test('do not begin after the commit', async () => {
    const errors: unknown[] = [];
    const { run } = await testJob(
      async (run) => {
        await run.commit([put('a')]);
        await run.progress(1, 1);
        await run.step('late', () => 1).catch((error: unknown) => errors.push(error));
        expect(run.signal.aborted).toBe(false);
      },
      { scheduledTime },
    );
    expect(run.status).toBe('succeeded');
    expect(errors).toMatchObject([{ code: 'AttemptEnded' }]);
  });
});

describe('continueLater', () => {
  test('hands on null as well', async () => {
    const states: unknown[] = [];
    await testJob(
      (run) => {
        states.push(run.state);
        return states.length < 3 ? run.continueLater(states.length === 1 ? { page: 1 } : null) : 'done';
      },
      { scheduledTime },
    );
    expect(states).toEqual([undefined, { page: 1 }, null]);
  });

  test('with a state that is too large is a failed attempt', async () => {
    const { run } = await testJob((run) => run.continueLater(TOO_LARGE), { scheduledTime });
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('CheckpointTooLarge') });
  });

  test('after the commit changes nothing: the run has succeeded', async () => {
    const { deliveries, lines } = await testJob(
      async (run) => {
        await run.commit([put('a')]);
        return run.continueLater({ page: 1 });
      },
      { scheduledTime },
    );
    expect(deliveries).toMatchObject([{ outcome: 'succeeded' }]);
    expect(lines.filter(({ event }) => event === 'run')).toMatchObject([{ status: 'succeeded' }]);
  });
});

describe('the heartbeat', () => {
  test('that gets no answer at all stops the handler before its lease ends', async () => {
    const clock = new SettableClock(scheduledTime);
    const store = new MemoryRunStore<TransactWriteItem>();
    store.renew = () => new Promise(() => {});
    const aborted: (readonly [seconds: number, code: unknown])[] = [];
    await testJob(
      (run) => {
        run.signal.addEventListener('abort', () => aborted.push([clock.elapsed() / 1_000, run.signal.reason.code]));
        clock.advance(100_000);
      },
      { scheduledTime, now: clock, store, job: { lease: 'heartbeat' } },
    );
    expect(aborted).toEqual([[85, 'LeaseNotRenewed']]);
  });

  test('that is answered keeps it at work', async () => {
    const clock = new SettableClock(scheduledTime);
    const { run } = await testJob(
      async (run) => {
        for (let second = 0; second < 200; second++) {
          clock.advance(1_000);
          await new Promise((resolve) => setImmediate(resolve));
        }
        run.signal.throwIfAborted();
      },
      { scheduledTime, now: clock, job: { lease: 'heartbeat' } },
    );
    expect(run.status).toBe('succeeded');
  });
});
