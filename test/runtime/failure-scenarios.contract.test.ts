import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobRun } from '../../lambdas/runtime/index.ts';
import { SettableClock } from '../../lambdas/runtime/testing/index.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { DEFAULT_LEASE_TIMES, deadBefore, planLease } from '../../lib/domain/run/lease.ts';
import { Deliveries } from '../support/deliveries.ts';
import { keepTimersMoving } from '../support/keep-timers-moving.ts';
import { STORES, type StoreUnderTest } from '../support/run-stores.ts';

const MINUTE = 60_000;
const nothing = () => {};
const retry = { maxAttempts: 3, backoff: 'fixed' as const, initialDelayMs: 1_000, maxDelayMs: 1_000 };

/** The scenarios of docs/protocol.md, by its numbers. */
describe.each(STORES)('failure scenarios on the %s store', (_, start) => {
  let under: StoreUnderTest;
  beforeAll(async () => {
    under = await start();
  });
  afterAll(() => under[Symbol.asyncDispose]());

  const lab = (overrides: Partial<JobDefinition> = {}) =>
    new Deliveries(under, { overlap: 'allow', retry, ...overrides });
  const outcomes = (deliveries: readonly { outcome: string }[]) => deliveries.map(({ outcome }) => outcome).sort();

  test('1 crash before the claim: there is no record, and the next delivery is attempt 1', async () => {
    const it = lab();
    expect(await under.store.getRuns([{ job: it.job.name, scheduledTime: it.at }])).toEqual([]);
    it.clock.advance(2 * MINUTE);
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded', attempt: 1 });
  });

  test('2 crash after the claim: busy until the lease is over, with a wake-up armed for then; then attempt 2', async () => {
    const it = lab();
    await it.crash();
    const { leaseExpiresAt = 0 } = await it.record();
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'busy' });
    expect(it.wakeUps).toMatchObject([{ scheduledTime: it.at, at: leaseExpiresAt + 5_000 }]);
    it.passLease();
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded', attempt: 2 });
    expect((await it.record()).fencingToken).toBe(2);
  });

  test('2b when the wake-up cannot be armed the delivery is thrown back to Lambda', async () => {
    const it = lab();
    await it.crash();
    it.wakeUps.push = () => {
      throw new Error('no schedule today');
    };
    await expect(it.deliver(nothing)).rejects.toThrow('no schedule today');
  });

  test('3 crash after the effect: committed together with success, it is not repeated', async () => {
    const it = lab();
    const effect = under.effect(it.job.name);
    await it.crash({ before: (run) => run.commit([effect]) });
    it.passLease();
    expect(await it.deliver((run) => run.commit([effect]))).toMatchObject({ outcome: 'done' });
    expect(await under.timesApplied(it.job.name)).toBe(1);
  });

  test('3b without commit the body repeats, under the same idempotency key', async () => {
    const it = lab();
    const keys: string[] = [];
    const note = (run: JobRun) => void keys.push(run.idempotencyKey);
    await it.crash({ before: note });
    it.passLease();
    await it.deliver(note);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  test('4 two duplicates at once: one carries out, the other is told', async () => {
    const it = lab();
    let bodies = 0;
    const handler = async () => {
      bodies++;
      await new Promise((resolve) => setImmediate(resolve));
    };
    const both = await Promise.all([it.deliver(handler), it.deliver(handler)]);
    expect(outcomes(both)).toEqual([expect.stringMatching(/busy|done/), 'succeeded']);
    expect(bodies).toBe(1);
  });

  test('5 a late duplicate after completion starts nothing', async () => {
    const it = lab();
    await it.deliver(nothing);
    const before = await it.record();
    it.clock.advance(3 * 3_600_000);
    expect(await it.deliver(() => expect.unreachable())).toMatchObject({ outcome: 'done' });
    expect(await it.record()).toEqual(before);
  });

  describe('6 a zombie after its lease', () => {
    const zombie = async (act: (run: JobRun) => unknown, overrides: Partial<JobDefinition> = {}) => {
      const it = lab(overrides);
      let wake = () => {};
      const asleep = new Promise<void>((resolve) => {
        wake = resolve;
      });
      let began = () => {};
      const beginning = new Promise<void>((resolve) => {
        began = resolve;
      });
      let signal: AbortSignal | undefined;
      const clock = new SettableClock(it.at);
      const slow = it.deliver(
        async (run) => {
          signal = run.signal;
          began();
          await asleep;
          return act(run);
        },
        { clock },
      );
      await beginning;
      it.clock.advance(DEFAULT_LEASE_TIMES.heartbeatLeaseMs);
      it.passLease();
      await it.crash();
      const before = await it.record();
      return { it, before, wake, slow, clock, signal: () => signal };
    };

    test.each([
      ['completes', nothing],
      ['fails', () => Promise.reject(new Error('late failure'))],
    ])('that %s is fenced', async (_name, act) => {
      const { it, before, wake, slow } = await zombie(act);
      wake();
      expect(await slow).toMatchObject({ outcome: 'fenced' });
      expect(await it.record()).toEqual(before);
      expect(it.linesOf('claim').at(-1)).toMatchObject({ outcome: 'fenced' });
    });

    test('that commits is fenced, and its effects are not applied', async () => {
      const errors: Error[] = [];
      const id = `zombie-${Math.random()}`;
      const { before, it, wake, slow } = await zombie((run) =>
        run.commit([under.effect(id)]).catch((error: Error) => errors.push(error)),
      );
      wake();
      expect(await slow).toMatchObject({ outcome: 'fenced' });
      expect(errors).toMatchObject([{ code: 'Fenced' }]);
      expect(await under.timesApplied(id)).toBe(0);
      expect(await it.record()).toEqual(before);
    });

    test('learns it at its first heartbeat: the signal aborts', async () => {
      const { clock, wake, slow, signal } = await zombie(nothing, { lease: 'heartbeat' });
      clock.advance(DEFAULT_LEASE_TIMES.heartbeatEveryMs);
      await expect.poll(() => signal()?.aborted).toBe(true);
      expect(signal()?.reason).toMatchObject({ code: 'Fenced' });
      wake();
      await slow;
    });
  });

  test('7 clocks 3.6 s off and a kill 0.7 s late: the next attempt begins only after the last body has ended', async () => {
    const remaining = 60_000;
    for (const [holderError, takerError] of [
      [-3_600, 3_600],
      [3_600, -3_600],
      [0, 0],
    ] as const) {
      const startedAt = 1_000_000;
      const lease = planLease('invocation', startedAt + holderError, remaining, DEFAULT_LEASE_TIMES);
      const bodyEnds = startedAt + remaining + 700;
      let takenAt = startedAt;
      while (!(lease < deadBefore(takenAt + takerError, DEFAULT_LEASE_TIMES))) takenAt += 50;
      expect(takenAt).toBeGreaterThan(bodyEnds);
    }
  });

  test('8 throttled at the claim: tried again inside the invocation; beyond that thrown to Lambda', async () => {
    const it = lab();
    it.fate = (method, count) => (method === 'claim' && count < 4 ? 'loseRequest' : 'deliver');
    const waits = keepTimersMoving(it.clock);
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded', attempt: 1 });
    const other = lab();
    other.fate = (method) => (method === 'claim' ? 'loseRequest' : 'deliver');
    const otherWaits = keepTimersMoving(other.clock);
    await expect(other.deliver(() => expect.unreachable())).rejects.toMatchObject({ code: 'StoreUnavailable' });
    waits();
    otherWaits();
  });

  test('9 throttled at completion: tried until a second is left, then thrown; the run repeats after the lease', async () => {
    const it = lab();
    it.fate = (method) => (method === 'end' ? 'loseRequest' : 'deliver');
    const waits = keepTimersMoving(it.clock);
    await expect(it.deliver(nothing)).rejects.toMatchObject({ code: 'StoreUnavailable' });
    expect(it.requests.filter((method) => method === 'end').length).toBeGreaterThan(10);
    expect(it.clock.now() - it.at).toBeGreaterThan(60_000);
    it.fate = () => 'deliver';
    it.passLease();
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded', attempt: 2 });
    waits();
  });

  test('10 claim applied, response lost: recognised as its own', async () => {
    const it = lab();
    it.fate = (method, count) => (method === 'claim' && count === 0 ? 'loseResponse' : 'deliver');
    const waits = keepTimersMoving(it.clock);
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded', attempt: 1 });
    expect((await it.record()).fencingToken).toBe(1);
    waits();
  });

  describe('11 applied, response lost', () => {
    test.each([
      ['complete', 'end', nothing, 'succeeded'],
      ['fail', 'end', () => Promise.reject(new Error('x')), 'failed'],
      ['commit', 'commit', (run: JobRun) => run.commit([under.effect(run.jobName)]), 'succeeded'],
    ] as const)('%s is recognised as its own', async (name, method, handler, outcome) => {
      const it = lab({ retry: { ...retry, maxAttempts: 1 } });
      it.fate = (asked, count) => (asked === method && count === 0 ? 'loseResponse' : 'deliver');
      const waits = keepTimersMoving(it.clock);
      expect(await it.deliver(handler)).toMatchObject({ outcome });
      expect((await it.record()).status).toBe(outcome);
      if (name === 'commit') expect(await under.timesApplied(it.job.name)).toBe(1);
      waits();
    });

    test('a commit whose answers are all lost still shows as the success that it was', async () => {
      const it = lab();
      it.fate = (method) => (method === 'commit' ? 'loseResponse' : 'deliver');
      const waits = keepTimersMoving(it.clock, 10_000);
      // The commit gives up a second before the end; the invocation is then told the truth by its record.
      const outcome = await it.deliver((run) => run.commit([under.effect(it.job.name)]), { remainingMs: 30_000 });
      expect(outcome).toMatchObject({ outcome: 'succeeded' });
      expect(await under.timesApplied(it.job.name)).toBe(1);
      waits();
    });
  });

  test('12 a request that arrives after its sender is gone: a claim with its old time, an ending with its old token', async () => {
    const it = lab();
    const ghost = {
      job: it.job.name,
      scheduledTime: it.at,
      claimToken: 'ghost',
      now: it.at,
      leaseExpiresAt: it.at + MINUTE,
      deadBefore: it.at - 5_000,
      maxAttempts: 3,
      trigger: 'schedule' as const,
      revision: 'r1',
    };
    await it.crash();
    it.passLease();
    // The holder is dead by now, but was alive when the ghost was sent.
    expect((await under.store.claim(ghost)).outcome).toBe('busy');
    const first = await it.record();
    const claim = {
      ...first,
      claimToken: first.claimToken ?? '',
      attempt: 1,
      claimedAt: it.at,
      leaseExpiresAt: 0,
      segments: 0,
    };
    await it.crash();
    expect(await under.store.end(claim, { status: 'succeeded' }, it.clock.now())).toBe('fenced');
    expect((await it.record()).status).toBe('running');
  });

  test('13 a handler that overruns is told to stop and its run waits for the next attempt', async () => {
    const it = lab({ timeoutMs: 57_000 });
    const overrun = it.deliver((run) => {
      it.clock.advance(57_000);
      expect(run.signal.reason).toMatchObject({ code: 'DeadlineReached' });
      it.clock.advance(1_000);
      return new Promise(() => {});
    });
    expect(await overrun).toMatchObject({ outcome: 'pending', attempt: 1 });
    expect(await it.record()).toMatchObject({ status: 'pending', error: expect.stringContaining('DeadlineReached') });
    expect((await it.record()).nextAttemptAt).toBeLessThan(it.clock.now() + 5_000);
    expect(it.wakeUps, 'never for an instant that may have passed').toMatchObject([
      { purpose: 'r1', at: it.clock.now() + 5_000 },
    ]);
    it.clock.advance(1_000);
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded', attempt: 2 });
  });

  test('14 a poison job: crashes count, and after the last one the run is closed as failed', async () => {
    const it = lab();
    for (let i = 0; i < 3; i++) {
      await it.crash();
      it.passLease();
    }
    expect(await it.deliver(() => expect.unreachable())).toMatchObject({ outcome: 'exhausted' });
    expect(await it.record()).toMatchObject({ status: 'failed', attempts: 3, cause: 'exhausted' });
    expect(it.linesOf('run').at(-1)).toMatchObject({ status: 'failed', level: 'error' });
  });

  test('15 the watchdog races the scheduler: it delivers through the same claim, and closes only what did not move', async () => {
    const it = lab();
    const both = await Promise.all([it.deliver(nothing), it.deliver(nothing, { event: { trigger: 'schedule' } })]);
    expect(outcomes(both)).toEqual([expect.stringMatching(/busy|done/), 'succeeded']);
    const dead = lab({ retry: { ...retry, maxAttempts: 2 } });
    await dead.crash();
    dead.passLease();
    const seen = await dead.record();
    await dead.crash();
    expect(await under.store.closeExhausted(seen, dead.clock.now())).toBe(false);
    expect((await dead.record()).status).toBe('running');
  });

  test('16 two watchdogs, or one twice: the same occurrence is missed once and delivered once', async () => {
    const it = lab();
    const key = { job: it.job.name, scheduledTime: it.at };
    const marks = [
      await under.store.recordMissed(key, 'unknown', it.at),
      await under.store.recordMissed(key, 'unknown', it.at + 1),
    ];
    expect(marks).toEqual([true, false]);
    expect(await it.deliver(() => expect.unreachable())).toMatchObject({ outcome: 'done' });
    const dead = lab();
    await dead.crash();
    dead.passLease();
    expect(outcomes(await Promise.all([dead.deliver(nothing), dead.deliver(nothing)]))).toContain('succeeded');
    expect((await dead.record()).attempts).toBe(2);
  });

  test('17 an event older than the horizon is refused without a record, unless a person asked', async () => {
    const it = lab();
    const scheduledTime = it.at - 32 * 86_400_000;
    expect(await it.deliver(() => expect.unreachable(), { scheduledTime })).toMatchObject({ outcome: 'tooOld' });
    expect(await under.store.getRun({ job: it.job.name, scheduledTime })).toBeUndefined();
    expect(await it.deliver(nothing, { scheduledTime, event: { trigger: 'backfill' } })).toMatchObject({
      outcome: 'succeeded',
    });
  });

  test('18 overlap skip: recorded once; a run that has a record is never skipped', async () => {
    const it = lab({ overlap: 'skip' });
    await it.crash();
    const next = { scheduledTime: it.at + MINUTE };
    expect(await it.deliver(nothing, next)).toMatchObject({ outcome: 'skipped' });
    expect(await it.deliver(nothing, next)).toMatchObject({ outcome: expect.stringMatching(/skipped|done/) });
    expect(await it.record(it.at + MINUTE)).toMatchObject({ status: 'skipped', cause: 'overlap', attempts: 0 });
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'busy' });
    expect((await it.record()).status).toBe('running');
  });

  test('19 overlap bufferOne: one waits, further ones are skipped; it starts with a fresh count of attempts', async () => {
    const it = lab({ overlap: 'bufferOne' });
    await it.crash();
    expect(await it.deliver(nothing, { scheduledTime: it.at + MINUTE })).toMatchObject({ outcome: 'buffered' });
    expect(await it.deliver(nothing, { scheduledTime: it.at + 2 * MINUTE })).toMatchObject({ outcome: 'skipped' });
    expect(await it.record(it.at + MINUTE)).toMatchObject({ status: 'pending', attempts: 0 });
    it.passLease();
    expect(await it.deliver(nothing, { scheduledTime: it.at + MINUTE }), 'a dead holder keeps its turn').toMatchObject({
      outcome: 'buffered',
    });
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded', attempt: 2 });
    expect(await it.deliver(nothing, { scheduledTime: it.at + MINUTE })).toMatchObject({
      outcome: 'succeeded',
      attempt: 1,
    });
    expect(await it.deliver(nothing, { scheduledTime: it.at + 3 * MINUTE })).toMatchObject({ outcome: 'succeeded' });
  });

  test('19b a run that loses the turn to another gives its attempt back', async () => {
    const it = lab({ overlap: 'bufferOne' });
    const other = it.at + MINUTE;
    let interfered = false;
    // Between the peek of the first and its taking the turn, the other one takes it.
    const store = new Proxy(it.store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'takeTurn' || interfered) return value;
        return async (...parts: unknown[]) => {
          interfered = true;
          await it.crash({ scheduledTime: other });
          return Reflect.apply(value as () => unknown, target, parts) as unknown;
        };
      },
    });
    expect(await it.deliver(() => expect.unreachable(), { store })).toMatchObject({ outcome: 'buffered' });
    expect(await it.record()).toMatchObject({ status: 'pending', attempts: 0, fencingToken: 1 });
    expect((await it.record(other)).status).toBe('running');
  });

  test('20 the run that has the turn died: its turn passes on only once it is taken over and finished', async () => {
    const it = lab({ overlap: 'skip' });
    await it.crash();
    it.passLease();
    expect(await it.deliver(nothing, { scheduledTime: it.at + MINUTE })).toMatchObject({ outcome: 'skipped' });
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'succeeded', attempt: 2 });
    expect(await it.deliver(nothing, { scheduledTime: it.at + 2 * MINUTE })).toMatchObject({ outcome: 'succeeded' });
  });

  test('21 a pause: what runs goes on, what is due is skipped as paused, what waits goes on waiting', async () => {
    const it = lab({ overlap: 'bufferOne' });
    const next = it.at + MINUTE;
    const outcome = await it.deliver(async () => {
      await it.deliver(nothing, { scheduledTime: next });
      await under.store.pause(it.job.name, { by: 'mo', note: 'move' }, it.clock.now());
    });
    expect(outcome).toMatchObject({ outcome: 'succeeded' });
    expect(await it.deliver(() => expect.unreachable(), { scheduledTime: next })).toMatchObject({ outcome: 'paused' });
    expect((await it.record(next)).status).toBe('pending');
    const later = it.at + 2 * MINUTE;
    expect(await it.deliver(() => expect.unreachable(), { scheduledTime: later })).toMatchObject({
      outcome: 'skipped',
    });
    expect(await it.record(later)).toMatchObject({ status: 'skipped', cause: 'paused' });
    const asked = { scheduledTime: it.at + 3 * MINUTE, event: { trigger: 'manual' } };
    expect(await it.deliver(nothing, asked), 'a person may run it all the same').toMatchObject({
      outcome: 'succeeded',
    });
  });

  test('22 the schedule changed: an old event that is late is superseded, what has begun is carried to its end', async () => {
    const it = lab();
    const old = { event: { revision: 'r0' } };
    expect(await it.deliver(nothing, old), 'on time: its revision was in force').toMatchObject({
      outcome: 'succeeded',
    });
    const late = { ...old, scheduledTime: it.at - 2 * 3_600_000 };
    expect(await it.deliver(() => expect.unreachable(), late)).toMatchObject({ outcome: 'superseded' });
    expect(await it.record(late.scheduledTime)).toMatchObject({ status: 'skipped', cause: 'superseded' });
    const begun = { ...old, scheduledTime: it.at - 10_800_000 };
    await it.crash({ scheduledTime: begun.scheduledTime });
    it.passLease();
    expect(await it.deliver(nothing, begun)).toMatchObject({ outcome: 'succeeded', attempt: 2 });
  });

  test('23 a deployment during a run: the old code ends under its claim, the next attempt is the new code', async () => {
    const it = lab({ retry: { ...retry, initialDelayMs: 120_000, maxDelayMs: 120_000 } });
    const versions: string[] = [];
    await it.deliver(() => {
      versions.push('old');
      throw new Error('old code fails');
    });
    it.clock.advance(120_000);
    expect(await it.deliver(() => void versions.push('new'))).toMatchObject({ outcome: 'succeeded', attempt: 2 });
    expect(versions).toEqual(['old', 'new']);
  });

  test('24 two schedules that fire one occurrence meet in one claim', async () => {
    const it = lab();
    const fired = [
      it.deliver(nothing, { event: { arn: 'day-of-month' } }),
      it.deliver(nothing, { event: { arn: 'day-of-week' } }),
    ];
    expect(outcomes(await Promise.all(fired))).toEqual([expect.stringMatching(/busy|done/), 'succeeded']);
    expect((await it.record()).attempts).toBe(1);
  });

  test('25 the same request id delivered twice is two invocations: one is refused', async () => {
    const it = lab();
    await it.crash({ requestId: 'same' });
    expect(await it.deliver(() => expect.unreachable(), { requestId: 'same' })).toMatchObject({ outcome: 'busy' });
  });

  test('26 leftovers of a thawed environment write with their old token, and change nothing', async () => {
    const it = lab();
    let late: JobRun | undefined;
    await it.deliver((run) => {
      late = run;
    });
    const before = await it.record();
    await expect(late?.step('forgotten', () => 1)).rejects.toMatchObject({ code: 'AttemptEnded' });
    await expect(late?.commit([under.effect(it.job.name)])).rejects.toMatchObject({ code: 'AttemptEnded' });
    expect(await it.record()).toEqual(before);
    expect(await under.timesApplied(it.job.name)).toBe(0);
  });

  test('27 attempts exhausted while a slow holder works: it is fenced, and the record says that the outcome is unknown', async () => {
    const it = lab({ retry: { ...retry, maxAttempts: 1 } });
    let finish = () => {};
    const clock = new SettableClock(it.at);
    let began = () => {};
    const beginning = new Promise<void>((resolve) => {
      began = resolve;
    });
    const slow = it.deliver(
      async () => {
        began();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
      { clock },
    );
    await beginning;
    it.passLease();
    expect(await it.deliver(nothing)).toMatchObject({ outcome: 'exhausted' });
    finish();
    expect(await slow).toMatchObject({ outcome: 'fenced' });
    expect(await it.record()).toMatchObject({ status: 'failed', error: expect.stringContaining('outcome is unknown') });
  });
});
