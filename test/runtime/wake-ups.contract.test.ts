import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runOnce } from '../../lambdas/runtime/run-once.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { Deliveries } from '../support/deliveries.ts';
import { STORES, type StoreUnderTest } from '../support/run-stores.ts';

const MINUTE = 60_000;
const nothing = () => {};
const failing = () => {
  throw new Error('not there yet');
};
const retryAfter = (delayMs: number) => ({
  maxAttempts: 3,
  backoff: 'fixed' as const,
  initialDelayMs: delayMs,
  maxDelayMs: delayMs,
});

describe.each(STORES)('what is armed for later, on the %s store', (_, start) => {
  let under: StoreUnderTest;
  beforeAll(async () => {
    under = await start();
  });
  afterAll(() => under[Symbol.asyncDispose]());

  const lab = (overrides: Partial<JobDefinition> = {}) => new Deliveries(under, { overlap: 'allow', ...overrides });

  test('a retry after ten minutes, at its instant: an invocation of one minute has no room for it', async () => {
    const it = lab({ retry: retryAfter(10 * MINUTE) });
    expect(await it.deliver(failing)).toMatchObject({ outcome: 'pending', attempt: 1 });
    expect(it.wakeUps).toMatchObject([
      { job: it.job.name, scheduledTime: it.at, at: it.at + 10 * MINUTE, purpose: 'r1', trigger: 'schedule' },
    ]);
    it.clock.advance(10 * MINUTE);
    expect(await it.deliver(failing)).toMatchObject({ outcome: 'pending', attempt: 2 });
    expect(it.wakeUps.slice(1)).toMatchObject([{ at: it.at + 20 * MINUTE, purpose: 'r2' }]);
    it.clock.advance(10 * MINUTE);
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded', attempt: 3 });
    expect(it.wakeUps).toHaveLength(2);
  });

  test('for the function itself, by whatever version or alias it was invoked', async () => {
    const it = lab({ retry: retryAfter(10 * MINUTE) });
    const itself = 'arn:aws:lambda:us-east-1:000000000000:function:job';
    const event = { job: it.job.name, scheduledTime: formatInstant(it.at), revision: 'r1' };
    const context = { awsRequestId: 'r', invokedFunctionArn: `${itself}:live`, getRemainingTimeInMillis: () => MINUTE };
    expect(await runOnce(it.dependencies(), event, failing, context)).toMatchObject({ outcome: 'pending' });
    expect(await runOnce(it.dependencies(), event, nothing, context)).toMatchObject({ outcome: 'early' });
    expect(it.wakeUps.map(({ target }) => target)).toEqual([itself, itself]);
  });

  test('not a retry that is made in place, and nothing after the last attempt', async () => {
    const it = lab({ retry: retryAfter(1_000) });
    expect(await it.deliver(failing)).toMatchObject({ outcome: 'failed', attempt: 3 });
    expect(it.wakeUps).toEqual([]);
  });

  test('a delivery before the retry is due arms the same wake-up: where it is there already, it is a conflict', async () => {
    const it = lab({ retry: retryAfter(10 * MINUTE) });
    await it.deliver(failing);
    it.clock.advance(MINUTE);
    expect(await it.deliver(() => expect.unreachable())).toMatchObject({ outcome: 'early' });
    const [armed, again] = it.wakeUps;
    expect(again).toEqual(armed);
  });

  test('a retry that cannot be armed is told in one line, and armed by whoever finds it not due yet', async () => {
    const it = lab({ retry: retryAfter(10 * MINUTE) });
    it.wakeUps.push = () => {
      throw new Error('no schedule today');
    };
    expect(await it.deliver(failing)).toMatchObject({ outcome: 'pending' });
    expect(it.linesOf('log').filter(({ level }) => level === 'warn')).toMatchObject([
      { job: it.job.name, message: expect.stringMatching(/watchdog will deliver it: no schedule today$/) },
    ]);
    Reflect.deleteProperty(it.wakeUps, 'push');
    it.clock.advance(MINUTE);
    await it.deliver(() => expect.unreachable());
    expect(it.wakeUps).toMatchObject([{ at: it.at + 10 * MINUTE, purpose: 'r1' }]);
  });

  test('one that comes when the watchdog was faster starts nothing, writes nothing and arms nothing', async () => {
    const it = lab({ retry: retryAfter(10 * MINUTE) });
    await it.deliver(failing);
    it.clock.advance(11 * MINUTE);
    await it.deliver(nothing);
    const before = await it.record();
    expect(await it.deliver(() => expect.unreachable())).toMatchObject({ outcome: 'done' });
    expect(await it.record()).toEqual(before);
    expect(it.wakeUps).toHaveLength(1);
  });

  test('the next segment of a run that goes on in another invocation, as soon as EventBridge takes it', async () => {
    const it = lab({ retry: retryAfter(10 * MINUTE) });
    expect(await it.deliver((run) => run.continueLater({ page: 2 }))).toMatchObject({ outcome: 'pending' });
    expect(it.wakeUps).toMatchObject([{ at: it.clock.now() + 5_000, purpose: 'c1' }]);
    it.clock.advance(5_000);
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded' });
  });

  test('a run that waits for another: for the end of its lease, or for its next attempt', async () => {
    const it = lab({ overlap: 'bufferOne', retry: retryAfter(10 * MINUTE) });
    await it.crash();
    const next = { scheduledTime: it.at + MINUTE };
    expect(await it.deliver(nothing, next)).toMatchObject({ outcome: 'buffered' });
    const leaseEnd = ((await it.record()).leaseExpiresAt ?? 0) + 5_000;
    expect(it.wakeUps).toMatchObject([{ scheduledTime: next.scheduledTime, at: leaseEnd }]);
    it.passLease();
    expect(await it.deliver(failing)).toMatchObject({ outcome: 'pending', attempt: 2 });
    const retryAt = it.clock.now() + 10 * MINUTE;
    expect(await it.deliver(nothing, next)).toMatchObject({ outcome: 'buffered' });
    expect(it.wakeUps.at(-1)).toMatchObject({ scheduledTime: next.scheduledTime, at: retryAt });
    const [first, second] = it.wakeUps.filter(({ scheduledTime }) => scheduledTime === next.scheduledTime);
    expect(second?.purpose, 'the first schedule is still there while its delivery runs').not.toBe(first?.purpose);
    expect(await it.deliver(nothing, next)).toMatchObject({ outcome: 'buffered' });
    expect(it.wakeUps.at(-1)?.purpose, 'the same wait is armed once').toBe(second?.purpose);
  });
});
