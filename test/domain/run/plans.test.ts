import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OverlapPolicy, RetryPolicy, Trigger } from '../../../lib/domain/job.ts';
import { DEFAULT_LEASE_TIMES, planLease, planRunningTime } from '../../../lib/domain/run/lease.ts';
import { planAdmission } from '../../../lib/domain/run/plan-admission.ts';
import { planClaim } from '../../../lib/domain/run/plan-claim.ts';
import { planOverlap, succeededThrough } from '../../../lib/domain/run/plan-overlap.ts';
import { planRetry, retryDelay } from '../../../lib/domain/run/plan-retry.ts';
import type { RunRecord, RunStatus } from '../../../lib/domain/run/run-record.ts';
import { assertTransition, mayTransition, RUN_TRANSITIONS } from '../../../lib/domain/run/run-transitions.ts';
import { shorten } from '../../../lib/domain/run/shorten.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const NOW = Date.parse('2026-11-02T13:00:00Z');
const run = (more: Partial<RunRecord> = {}): RunRecord => ({
  job: 'sync',
  scheduledTime: NOW,
  status: 'running',
  fencingToken: 1,
  attempts: 1,
  trigger: 'schedule',
  claimToken: 'A',
  leaseExpiresAt: NOW + 60_000,
  ...more,
});

describe('planClaim', () => {
  const situation = { claimToken: 'B', now: NOW, deadBefore: NOW - 5_000, maxAttempts: 3 };
  const plan = (more: Partial<RunRecord>) => planClaim(run(more), situation).action;

  test.each<[string, Partial<RunRecord>, string]>([
    ['its own claim', { claimToken: 'B' }, 'own'],
    ['a live lease', {}, 'busy'],
    ['a lease within the margin', { leaseExpiresAt: NOW - 5_000 }, 'busy'],
    ['a lease past the margin', { leaseExpiresAt: NOW - 5_001 }, 'claim'],
    ['a dead run without attempts left', { leaseExpiresAt: 0, attempts: 3 }, 'exhausted'],
    ['a retry that is not due', { status: 'pending', nextAttemptAt: NOW + 1 }, 'early'],
    ['a retry that is due', { status: 'pending', nextAttemptAt: NOW }, 'claim'],
    ['a due retry without attempts left', { status: 'pending', nextAttemptAt: NOW, attempts: 3 }, 'exhausted'],
    ['a finished run with its own token', { status: 'succeeded', claimToken: 'B' }, 'done'],
    ['a skipped run', { status: 'skipped' }, 'done'],
  ])('%s', (_, record, action) => expect(plan(record)).toBe(action));

  test('no record', () => expect(planClaim(undefined, situation)).toEqual({ action: 'claim' }));
});

describe('planRetry', () => {
  const policy: RetryPolicy = { maxAttempts: 4, backoff: 'fixed', initialDelayMs: 10_000, maxDelayMs: 60_000 };
  const situation = { attempt: 1, now: NOW, remainingMs: 300_000, attemptTookMs: 1_000, seed: 'sync 1' };

  test.each([
    ['the last attempt', { attempt: 4 }, { action: 'giveUp' }],
    ['room for delay and attempt', {}, { action: 'retryInPlace', nextAttemptAt: NOW + 10_000 }],
    ['too little left', { remainingMs: 16_000 }, { action: 'retryLater', nextAttemptAt: NOW + 10_000 }],
    [
      'an attempt that took too long to fit again',
      { attemptTookMs: 290_000 },
      { action: 'retryLater', nextAttemptAt: NOW + 10_000 },
    ],
  ])('%s', (_, more, expected) => expect(planRetry(policy, { ...situation, ...more })).toEqual(expected));

  test('a long delay is not waited for in place', () => {
    const long = { ...policy, initialDelayMs: 61_000, maxDelayMs: 61_000 };
    expect(planRetry(long, { ...situation, remainingMs: 900_000 }).action).toBe('retryLater');
  });

  test('fixed and linear delays', () => {
    expect([1, 2, 3].map((n) => retryDelay(policy, n, 's'))).toEqual([10_000, 10_000, 10_000]);
    const linear = { ...policy, backoff: 'linear' as const };
    expect([1, 2, 3, 9].map((n) => retryDelay(linear, n, 's'))).toEqual([10_000, 20_000, 30_000, 60_000]);
  });

  test('exponential delays have full jitter under a cap, the same for the same seed', () => {
    const exponential = { ...policy, backoff: 'exponential' as const };
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 12 }), (seed, attempt) => {
        const delay = retryDelay(exponential, attempt, seed);
        expect(delay).toBe(retryDelay(exponential, attempt, seed));
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.min(60_000, 10_000 * 2 ** (attempt - 1)));
      }),
    );
    const spread = Array.from({ length: 2_000 }, (_, i) => retryDelay(exponential, 1, `job ${i}`) / 10_000);
    expect(spread.reduce((sum, one) => sum + one, 0) / spread.length).toBeCloseTo(0.5, 1);
    expect(Math.min(...spread)).toBeLessThan(0.02);
    expect(Math.max(...spread)).toBeGreaterThan(0.98);
  });
});

describe('planOverlap', () => {
  const plan = (policy: OverlapPolicy, more: Partial<Parameters<typeof planOverlap>[1]> = {}) =>
    planOverlap(policy, {
      scheduledTime: NOW + 60_000,
      trigger: 'schedule',
      now: NOW,
      marginMs: 5_000,
      turn: { job: 'sync', version: 1, holder: NOW },
      holder: run(),
      ...more,
    });

  test.each<[OverlapPolicy, string]>([
    ['skip', 'skip'],
    ['bufferOne', 'buffer'],
    ['cancelOther', 'cancelHolder'],
    ['allow', 'proceed'],
  ])('%s, while another run works: %s', (policy, action) => expect(plan(policy).action).toBe(action));

  test.each(['succeeded', 'failed', 'timedOut', 'skipped'] satisfies RunStatus[])(
    'a %s run leaves the turn free',
    (status) => {
      expect(plan('skip', { holder: run({ status }) })).toEqual({ action: 'proceed' });
    },
  );

  test('a dead run keeps the turn', () => {
    expect(plan('skip', { holder: run({ leaseExpiresAt: 0 }) }).action).toBe('skip');
    expect(plan('cancelOther', { holder: run({ leaseExpiresAt: 0 }) }).action).toBe('closeHolder');
  });
  test('a run that waits for its retry keeps the turn', () => {
    expect(plan('skip', { holder: run({ status: 'pending' }) }).action).toBe('skip');
    expect(plan('cancelOther', { holder: run({ status: 'pending' }) }).action).toBe('closeHolder');
  });
  test('an older occurrence does not cancel a newer one', () => {
    expect(plan('cancelOther', { scheduledTime: NOW - 1_000 }).action).toBe('skip');
  });
  test('one waits, no more', () => {
    expect(plan('bufferOne', { buffered: run({ status: 'pending', fencingToken: 0 }) }).action).toBe('skip');
    expect(plan('bufferOne', { buffered: run({ status: 'succeeded' }) }).action).toBe('buffer');
  });
  test.each<Trigger>(['manual', 'backfill'])(
    'what a person asked for (%s) waits, and starts during a pause',
    (trigger) => {
      expect(plan('skip', { trigger }).action).toBe('queue');
      expect(plan('bufferOne', { trigger }).action).toBe('queue');
      const paused = { job: 'sync', version: 1, holder: NOW, paused: true };
      expect(plan('skip', { trigger, turn: paused, holder: run({ status: 'succeeded' }) }).action).toBe('proceed');
    },
  );
  test('a pause skips what is due, until it is over', () => {
    const turn = { job: 'sync', version: 0, paused: true, pausedUntil: NOW + 1 };
    const nobody = { turn, holder: run({ status: 'succeeded' }) };
    expect(plan('skip', nobody)).toEqual({ action: 'skip', cause: 'paused' });
    expect(plan('skip', { ...nobody, now: NOW + 1 }).action).toBe('proceed');
  });

  test('success is carried on by the turn', () => {
    const turn = { job: 'sync', version: 2, holder: NOW };
    expect(succeededThrough(turn, undefined)).toBeUndefined();
    expect(succeededThrough(turn, run({ status: 'succeeded' }))).toBe(NOW);
    expect(succeededThrough({ ...turn, windowFrom: NOW - 5 }, run({ status: 'failed' }))).toBe(NOW - 5);
    expect(
      succeededThrough({ ...turn, windowFrom: NOW + 5 }, run({ status: 'succeeded' })),
      'an older one after a newer',
    ).toBe(NOW + 5);
  });
});

describe('planAdmission', () => {
  const job = jobDefinition({ revision: 'r2' });
  const event = { job: job.name, scheduledTime: NOW, trigger: 'schedule' as const, revision: 'r2' };

  test('admits what the current schedule fires', () => expect(planAdmission(event, job, NOW)).toBe('admit'));
  test('admits what says no revision', () => {
    const { revision, ...silent } = event;
    expect(planAdmission(silent, job, NOW)).toBe('admit');
  });
  test('asks the schedule about an event of another revision, where it can', () => {
    const other = { ...event, revision: 'r1' };
    expect(planAdmission(other, job, NOW, () => true)).toBe('admit');
    expect(planAdmission(other, job, NOW, () => false)).toBe('superseded');
    expect(planAdmission(other, job, NOW + 3_600_000)).toBe('admit');
    expect(planAdmission(other, job, NOW + 3_600_001)).toBe('superseded');
  });
  test('refuses what is older than 31 days, unless a person asks', () => {
    const late = NOW + 31 * 86_400_000 + 1;
    expect(planAdmission(event, job, late)).toBe('tooOld');
    expect(planAdmission({ ...event, trigger: 'backfill' }, job, late)).toBe('admit');
  });
});

test('leases', () => {
  expect(planLease('invocation', NOW, 60_000, DEFAULT_LEASE_TIMES)).toBe(NOW + 63_000);
  expect(planLease('invocation', NOW, -5, DEFAULT_LEASE_TIMES)).toBe(NOW + 3_000);
  expect(planLease('heartbeat', NOW, 900_000, DEFAULT_LEASE_TIMES)).toBe(NOW + 90_000);
  expect(planRunningTime(65_000, 60_000, DEFAULT_LEASE_TIMES)).toBe(60_000);
  expect(planRunningTime(30_000, 60_000, DEFAULT_LEASE_TIMES)).toBe(27_000);
  expect(planRunningTime(1_000, 60_000, DEFAULT_LEASE_TIMES)).toBe(0);
});

describe('transitions', () => {
  test('nothing leaves a finished status', () => {
    for (const [name, { from }] of Object.entries(RUN_TRANSITIONS)) {
      const finished = from.filter((status) =>
        ['succeeded', 'failed', 'timedOut', 'skipped', 'missed'].includes(status),
      );
      expect(finished, name).toEqual([]);
    }
  });
  test('what is not in the table is an error that says what is', () => {
    expect(mayTransition('complete', 'running', 'succeeded')).toBe(true);
    expect(() => assertTransition('complete', 'pending', 'succeeded')).toThrow(
      /from pending to succeeded by complete: it goes from running/,
    );
  });
});

test('shortened texts keep whole characters and say how long they were', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const short = shorten(text, 100);
      expect(Buffer.byteLength(short)).toBeLessThanOrEqual(100);
      if (Buffer.byteLength(text) <= 100) expect(short).toBe(text);
      else expect(short).toMatch(new RegExp(`…\\(${Buffer.byteLength(text)} bytes\\)$`));
    }),
  );
});
