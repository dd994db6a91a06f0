import middy from '@middy/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { belfry } from '../../lambdas/runtime/index.ts';
import { Deliveries } from '../support/deliveries.ts';
import { STORES, type StoreUnderTest } from '../support/run-stores.ts';

const HOUR = 3_600_000;
const EVERY = { everyMs: 5 * HOUR };
/** A multiple of five hours since the epoch, and an instant that is none. */
const DUE = Date.parse('2026-11-02T14:00:00Z');
const BETWEEN = Date.parse('2026-11-02T15:00:00Z');

describe.each(STORES)('a schedule that fires more often than its job is due, on the %s store', (_, start) => {
  let under: StoreUnderTest;
  beforeAll(async () => {
    under = await start();
  });
  afterAll(() => under[Symbol.asyncDispose]());

  const lab = (at: number, overrides = {}) => new Deliveries(under, { overlap: 'skip', ...overrides }, at);
  const never = () => {
    throw new Error('it started');
  };

  test('starts a run when it is due', async () => {
    const it = lab(DUE);
    await expect(it.deliver(() => 1, { event: EVERY })).resolves.toMatchObject({ outcome: 'succeeded', attempt: 1 });
  });

  test('is refused in between: no request, no record, no line', async () => {
    const it = lab(BETWEEN);
    await expect(it.deliver(never, { event: EVERY })).resolves.toMatchObject({ outcome: 'notDue' });
    await expect(it.deliver(never, { event: { ...EVERY, revision: 'r0' } })).resolves.toMatchObject({
      outcome: 'notDue',
    });
    expect([it.requests, it.lines, it.wakeUps]).toEqual([[], [], []]);
    expect(await under.store.getRun({ job: it.job.name, scheduledTime: BETWEEN })).toBeUndefined();
  });

  test('is refused in a middy chain as well', async () => {
    const it = lab(BETWEEN);
    const handler = middy<unknown>()
      .use(belfry({ dependencies: () => it.dependencies() }))
      .handler(never);
    const context = { awsRequestId: 'r', invokedFunctionArn: 'arn', getRemainingTimeInMillis: () => 65_000 };
    const event = { job: it.job.name, scheduledTime: '2026-11-02T15:00:00Z', ...EVERY };
    await expect(handler(event, context as never)).resolves.toMatchObject({ outcome: 'notDue' });
    expect([it.requests, it.lines]).toEqual([[], []]);
  });

  test.each(['manual', 'backfill'])('does not keep people from asking: trigger %s', async (trigger) => {
    const it = lab(BETWEEN);
    await expect(it.deliver(() => 1, { event: { ...EVERY, trigger } })).resolves.toMatchObject({
      outcome: 'succeeded',
    });
  });

  test('holds up nothing that was begun: a retry carries no interval, whatever the job says by now', async () => {
    const retry = { maxAttempts: 2, backoff: 'fixed' as const, initialDelayMs: 10 * 60_000, maxDelayMs: 10 * 60_000 };
    const it = lab(DUE, { retry, schedule: '@every 5h' });
    const fail = () => {
      throw new Error('not yet');
    };
    await expect(it.deliver(fail, { event: EVERY })).resolves.toMatchObject({ outcome: 'pending' });
    expect(it.wakeUps).toHaveLength(1);
    it.clock.advance(10 * 60_000);
    // Deployed anew meanwhile: every seven hours, of which this instant is none.
    const event = { revision: 'r0', trigger: 'schedule' };
    await expect(it.deliver(() => 1, { event })).resolves.toMatchObject({ outcome: 'succeeded', attempt: 2 });
  });

  test.each([0, -1, 1.5, '5h', null])('an interval of %j is an error', async (everyMs) => {
    await expect(lab(DUE).deliver(never, { event: { everyMs } })).rejects.toMatchObject({ code: 'MalformedEvent' });
  });
});
