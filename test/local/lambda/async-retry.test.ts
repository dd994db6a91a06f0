import { expect, it } from 'vitest';
import { planAsyncRetry, planThrottled } from '../../../lib/local/lambda/async-invoker.ts';

const NOW = Date.parse('2026-10-31T23:00:00Z');
const LIMITS = { maximumRetryAttempts: 2, maximumEventAgeMs: 21_600_000 };

it('tries a failed event again after one minute, then after two, then gives it up', () => {
  const failed = { ok: false as const };
  expect(planAsyncRetry(failed, { attempt: 1, acceptedAt: NOW }, LIMITS, NOW)).toEqual({
    next: 'retry',
    at: NOW + 60_000,
  });
  expect(planAsyncRetry(failed, { attempt: 2, acceptedAt: NOW }, LIMITS, NOW)).toEqual({
    next: 'retry',
    at: NOW + 120_000,
  });
  expect(planAsyncRetry(failed, { attempt: 3, acceptedAt: NOW }, LIMITS, NOW)).toEqual({
    next: 'discard',
    condition: 'RetriesExhausted',
  });
});

it('does not try again what succeeded, or what the function wants no retry of', () => {
  expect(planAsyncRetry({ ok: true }, { attempt: 1, acceptedAt: NOW }, LIMITS, NOW)).toEqual({ next: 'done' });
  const none = { maximumRetryAttempts: 0, maximumEventAgeMs: 60_000 };
  expect(planAsyncRetry({ ok: false }, { attempt: 1, acceptedAt: NOW }, none, NOW)).toMatchObject({ next: 'discard' });
});

it('gives up an event that would be too old at the retry', () => {
  const limits = { maximumRetryAttempts: 2, maximumEventAgeMs: 90_000 };
  const event = { attempt: 1, acceptedAt: NOW - 40_000 };
  expect(planAsyncRetry({ ok: false }, event, limits, NOW)).toEqual({ next: 'discard', condition: 'EventAgeExceeded' });
});

it('tries a throttled event again after one second, then after twice as long up to five minutes, while it is young enough', () => {
  const delays = [0, 1, 2, 8, 9, 20].map((throttled) => {
    const plan = planThrottled({ throttled, acceptedAt: NOW }, LIMITS, NOW);
    return plan.next === 'retry' ? (plan.at - NOW) / 1_000 : undefined;
  });
  expect(delays).toEqual([1, 2, 4, 256, 300, 300]);
  const old = { throttled: 9, acceptedAt: NOW - LIMITS.maximumEventAgeMs + 299_000 };
  expect(planThrottled(old, LIMITS, NOW)).toEqual({ next: 'discard', condition: 'EventAgeExceeded' });
});
