import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobRun } from '../../lambdas/runtime/index.ts';
import { SettableClock } from '../../lambdas/runtime/testing/index.ts';
import { Deliveries } from '../support/deliveries.ts';
import { STORES, type StoreUnderTest } from '../support/run-stores.ts';

const MINUTE = 60_000;
const nothing = () => {};

/** A handler that works until its signal aborts or it is let go. */
function working() {
  let began = (_: JobRun) => {};
  let finish = () => {};
  const run = new Promise<JobRun>((resolve) => {
    began = resolve;
  });
  const handler = (started: JobRun) =>
    new Promise<void>((resolve, reject) => {
      finish = resolve;
      started.signal.addEventListener('abort', () => reject(started.signal.reason));
      began(started);
    });
  return { handler, run, finish: () => finish() };
}

describe.each(STORES)('overlap cancelOther on the %s store', (_, start) => {
  let under: StoreUnderTest;
  beforeAll(async () => {
    under = await start();
  });
  afterAll(() => under[Symbol.asyncDispose]());

  test('the attempt at work is told to stop, and its successor starts when it is gone', async () => {
    const it = new Deliveries(under, { overlap: 'cancelOther', timeoutMs: 600_000 });
    const work = working();
    const older = it.deliver(work.handler);
    const { signal } = await work.run;
    // The successor looks once a second; its sleeping moves the clock on which the older one looks every five.
    const newer = it.deliver(nothing, { scheduledTime: it.at + MINUTE });
    expect(await newer).toMatchObject({ outcome: 'succeeded', attempt: 1 });
    expect(signal.reason).toMatchObject({ code: 'Cancelled' });
    expect(await older).toMatchObject({ outcome: 'failed' });
    expect(await it.record()).toMatchObject({ status: 'failed', cause: 'cancelled' });
    expect(
      it.lines.some((line) => line.Failed === 1),
      'a cancellation is no failure of the job',
    ).toBe(false);
  });

  test('a dead attempt is closed and its successor starts at once', async () => {
    const it = new Deliveries(under, { overlap: 'cancelOther' });
    await it.crash();
    it.passLease();
    expect(await it.deliver(nothing, { scheduledTime: it.at + MINUTE })).toMatchObject({ outcome: 'succeeded' });
    expect(await it.record()).toMatchObject({ status: 'failed', cause: 'cancelled' });
  });

  test('an attempt that does not stop is waited for until its lease is over', async () => {
    const it = new Deliveries(under, { overlap: 'cancelOther' });
    await it.crash();
    const next = { scheduledTime: it.at + MINUTE };
    expect(await it.deliver(nothing, next)).toMatchObject({ outcome: 'buffered' });
    expect(it.wakeUps.at(-1)?.at).toBe(((await it.record()).leaseExpiresAt ?? 0) + 5_000);
    it.passLease();
    expect(await it.deliver(nothing, next)).toMatchObject({ outcome: 'succeeded' });
  });

  test('an attempt that begins after the request ends at once', async () => {
    const it = new Deliveries(under, {
      overlap: 'cancelOther',
      retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 1, maxDelayMs: 1 },
    });
    await it.crash();
    await it.deliver(nothing, { scheduledTime: it.at + MINUTE });
    it.passLease();
    expect(await it.deliver(() => expect.unreachable())).toMatchObject({ outcome: 'failed' });
  });
});

test('a run that a person asked for waits for its turn', async () => {
  const [, start] = STORES[0] ?? [];
  if (start === undefined) throw new Error('no store');
  await using under = await start();
  const it = new Deliveries(under, { overlap: 'skip' });
  await it.crash({ clock: new SettableClock(it.at) });
  const asked = { scheduledTime: it.at + 7_000, event: { trigger: 'manual' } };
  expect(await it.deliver(nothing, asked)).toMatchObject({ outcome: 'buffered' });
  expect(it.wakeUps).toHaveLength(1);
  it.passLease();
  await it.deliver(nothing);
  expect(await it.deliver(nothing, asked)).toMatchObject({ outcome: 'succeeded' });
});
