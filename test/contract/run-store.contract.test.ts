import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OccurrenceKey } from '../../lib/domain/contract/occurrence-key.ts';
import type { ClaimRequest, Ending } from '../../lib/domain/ports.ts';
import type { Claim } from '../../lib/domain/run/run-record.ts';
import { ALL_STORES, type StoreUnderTest } from '../support/run-stores.ts';

const T0 = Date.parse('2026-11-02T13:00:00Z');
const MINUTE = 60_000;
const MARGIN = 5_000;
let serial = 0;

describe.each(ALL_STORES)('run store: %s', (_, start) => {
  let under: StoreUnderTest;
  let key: OccurrenceKey;

  beforeAll(async () => {
    under = await start();
  });
  afterAll(() => under[Symbol.asyncDispose]());
  beforeEach(() => {
    key = { job: `job-${serial++}`, scheduledTime: T0 };
  });

  const request = (more: Partial<ClaimRequest> = {}): ClaimRequest => {
    const now = more.now ?? T0;
    const usual = { claimToken: 'A', now, leaseExpiresAt: now + MINUTE, deadBefore: now - MARGIN, maxAttempts: 3 };
    return { ...key, ...usual, trigger: 'schedule', revision: 'r1', ...more };
  };
  const claim = async (more: Partial<ClaimRequest> = {}): Promise<Claim> => {
    const answer = await under.store.claim(request(more));
    if (answer.outcome !== 'claimed') throw new Error(`not claimed but ${answer.outcome}`);
    return answer.claim;
  };
  const outcome = async (more: Partial<ClaimRequest> = {}) => (await under.store.claim(request(more))).outcome;
  const status = async () => (await under.store.getRun(key))?.status;

  describe('claim', () => {
    test('the first claim begins attempt 1 with fencing token 1', async () => {
      const claimed = await claim();
      expect(claimed).toMatchObject({
        ...key,
        fencingToken: 1,
        attempt: 1,
        claimToken: 'A',
        trigger: 'schedule',
        segments: 0,
      });
      expect(await under.store.getRun(key)).toMatchObject({
        status: 'running',
        attempts: 1,
        claimedAt: T0,
        leaseExpiresAt: T0 + MINUTE,
        revision: 'r1',
      });
    });

    test('the same request again is the same claim: its response was lost', async () => {
      const first = await claim();
      expect(await claim()).toEqual(first);
    });

    test('of twenty at once one gets it and nineteen are told so', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => under.store.claim(request({ claimToken: `t${i}` }))),
      );
      const outcomes = answers.map((answer) => answer.outcome);
      expect(outcomes.filter((one) => one === 'claimed')).toHaveLength(1);
      expect(outcomes.filter((one) => one === 'busy')).toHaveLength(19);
    });

    test('another one is busy until the lease and the margin have passed', async () => {
      await claim();
      const atMargin = T0 + MINUTE + MARGIN;
      expect(await outcome({ claimToken: 'B', now: atMargin })).toBe('busy');
      expect(await claim({ claimToken: 'B', now: atMargin + 1 })).toMatchObject({ fencingToken: 2, attempt: 2 });
    });

    test('a retry is early until it is due', async () => {
      const first = await claim();
      await under.store.end(first, { status: 'pending', nextAttemptAt: T0 + MINUTE, error: 'boom' }, T0);
      expect(await outcome({ claimToken: 'B', now: T0 + MINUTE - 1 })).toBe('early');
      expect(await claim({ claimToken: 'B', now: T0 + MINUTE })).toMatchObject({ fencingToken: 2, attempt: 2 });
      expect((await under.store.getRun(key))?.error).toBeUndefined();
    });

    test('a finished run is done', async () => {
      await under.store.end(await claim(), { status: 'succeeded' }, T0);
      expect(await under.store.claim(request({ claimToken: 'B', now: T0 + 1e9 }))).toMatchObject({
        outcome: 'done',
        status: 'succeeded',
      });
    });

    test('crashes count: after the last attempt died the run is closed as failed', async () => {
      for (let i = 0; i < 3; i++) await claim({ claimToken: `t${i}`, now: T0 + i * 2 * MINUTE });
      const later = T0 + 10 * MINUTE;
      expect(await outcome({ claimToken: 'D', now: later })).toBe('exhausted');
      expect(await under.store.getRun(key)).toMatchObject({ status: 'failed', cause: 'exhausted', attempts: 3 });
      expect(await outcome({ claimToken: 'E', now: later })).toBe('done');
    });

    test('keeps the trigger that the run began with', async () => {
      const first = await claim({ trigger: 'backfill' });
      await under.store.end(first, { status: 'pending', nextAttemptAt: T0, error: 'x' }, T0);
      expect(await claim({ claimToken: 'B', trigger: 'schedule' })).toMatchObject({ trigger: 'backfill' });
    });
  });

  const ENDINGS: readonly [string, Ending, object][] = [
    ['succeeded', { status: 'succeeded', result: '{"rows":3}' }, { status: 'succeeded', result: '{"rows":3}' }],
    ['failed', { status: 'failed', error: 'boom' }, { status: 'failed', error: 'boom', attempts: 1 }],
    ['timedOut', { status: 'timedOut', error: 'late', cause: 'held' }, { status: 'timedOut', cause: 'held' }],
    [
      'pending',
      { status: 'pending', nextAttemptAt: T0 + 5, error: 'boom' },
      { status: 'pending', nextAttemptAt: T0 + 5 },
    ],
    [
      'continuing',
      { status: 'continuing', nextAttemptAt: T0, checkpoint: '{"a":1}' },
      { status: 'pending', attempts: 0, segments: 1, checkpoint: '{"a":1}' },
    ],
    ['yielded', { status: 'yielded', nextAttemptAt: T0 }, { status: 'pending', attempts: 0, nextAttemptAt: T0 }],
    ['skipped', { status: 'skipped', cause: 'overlap' }, { status: 'skipped', attempts: 0, cause: 'overlap' }],
  ];

  describe.each(ENDINGS)('ending: %s', (_name, ending, record) => {
    test('is written by the owner, and once more when the response was lost', async () => {
      const claimed = await claim();
      expect(await under.store.end(claimed, ending, T0 + 1)).toBe('written');
      expect(await under.store.getRun(key)).toMatchObject({ ...record, fencingToken: 1, updatedAt: T0 + 1 });
      expect(await under.store.end(claimed, ending, T0 + 1)).toBe('written');
    });

    test('is refused after a takeover', async () => {
      const zombie = await claim();
      const now = T0 + 2 * MINUTE;
      const successor = await claim({ claimToken: 'B', now });
      const before = await under.store.getRun(key);
      expect(await under.store.end(zombie, ending, now)).toBe('fenced');
      expect(await under.store.getRun(key)).toEqual(before);
      expect(await under.store.end(successor, { status: 'succeeded' }, now)).toBe('written');
      expect(await under.store.end(zombie, ending, now)).toBe('fenced');
    });

    test('is refused for an earlier claim of the same invocation', async () => {
      const first = await claim();
      await under.store.end(first, { status: 'pending', nextAttemptAt: T0, error: 'x' }, T0);
      await claim({ now: T0 + 1 });
      expect(await under.store.end(first, ending, T0 + 2)).toBe('fenced');
      expect(await status()).toBe('running');
    });
  });

  test('a finished run is not ended otherwise', async () => {
    const claimed = await claim();
    await under.store.end(claimed, { status: 'succeeded' }, T0);
    expect(await under.store.end(claimed, { status: 'failed', error: 'late' }, T0)).toBe('fenced');
    expect(await status()).toBe('succeeded');
  });

  test('renewing extends the lease and saves checkpoint and progress, for the owner alone', async () => {
    const claimed = await claim();
    const checkpoint = { text: '{"steps":{}}', number: 1 };
    const renewal = { leaseExpiresAt: T0 + 5 * MINUTE, checkpoint, progress: '3/10' };
    expect(await under.store.renew(claimed, renewal, T0 + 1)).toBe('written');
    expect(await under.store.getRun(key)).toMatchObject({ ...renewal, checkpoint: checkpoint.text });
    expect(await outcome({ claimToken: 'B', now: T0 + 3 * MINUTE })).toBe('busy');
    const successor = await claim({ claimToken: 'B', now: T0 + 6 * MINUTE });
    expect(successor.checkpoint).toBe('{"steps":{}}');
    expect(await under.store.renew(claimed, renewal, T0 + 6 * MINUTE)).toBe('fenced');
    await under.store.end(successor, { status: 'succeeded' }, T0);
    expect(await under.store.renew(successor, renewal, T0)).toBe('fenced');
    expect((await under.store.getRun(key))?.checkpoint).toBeUndefined();
  });

  test('long results and errors are shortened with a marker', async () => {
    await under.store.end(await claim(), { status: 'succeeded', result: 'é'.repeat(1_000) }, T0);
    const { result = '' } = (await under.store.getRun(key)) ?? {};
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(256);
    expect(result).toMatch(/^é+…\(2000 bytes\)$/);
  });

  describe('commit', () => {
    test('finishes the run and applies the effects, once however often it is sent', async () => {
      const claimed = await claim();
      const effects = [under.effect(key.job)];
      expect(await under.store.commit(claimed, effects, '"ok"', T0)).toEqual({ outcome: 'written' });
      expect(await under.store.commit(claimed, effects, '"ok"', T0)).toEqual({ outcome: 'written' });
      expect(await status()).toBe('succeeded');
      expect(await under.timesApplied(key.job)).toBe(1);
    });

    test('of a zombie applies nothing', async () => {
      const zombie = await claim();
      const successor = await claim({ claimToken: 'B', now: T0 + 2 * MINUTE });
      expect(await under.store.commit(zombie, [under.effect(key.job)], undefined, T0)).toEqual({ outcome: 'fenced' });
      expect(await under.timesApplied(key.job)).toBe(0);
      expect(await under.store.commit(successor, [under.effect(key.job)], undefined, T0)).toEqual({
        outcome: 'written',
      });
      expect(await under.timesApplied(key.job)).toBe(1);
    });

    test('whose own condition fails says which, applies nothing and leaves the run running', async () => {
      const claimed = await claim();
      const effects = [under.effect(key.job), under.refusedEffect];
      expect(await under.store.commit(claimed, effects, undefined, T0)).toEqual({
        outcome: 'refused',
        reasons: ['None', 'ConditionalCheckFailed'],
      });
      expect(await status()).toBe('running');
      expect(await under.timesApplied(key.job)).toBe(0);
    });
  });

  describe('runs that are not carried out', () => {
    const overlap = { cause: 'overlap', trigger: 'schedule', evenIfQueued: true } as const;

    test('a skip is recorded once, and is final', async () => {
      expect(await under.store.skip(key, overlap, T0)).toBe(true);
      // Sent again because its answer was lost, it is still its own; another delivery's is not.
      expect(await under.store.skip(key, overlap, T0)).toBe(true);
      expect(await under.store.skip(key, overlap, T0 + 1)).toBe(false);
      expect(await under.store.getRun(key)).toMatchObject({
        status: 'skipped',
        cause: 'overlap',
        fencingToken: 0,
        attempts: 0,
      });
      expect(await outcome()).toBe('done');
    });

    test('what has begun is not skipped', async () => {
      const claimed = await claim();
      expect(await under.store.skip(key, overlap, T0)).toBe(false);
      await under.store.end(claimed, { status: 'pending', nextAttemptAt: T0, error: 'x' }, T0);
      expect(await under.store.skip(key, overlap, T0)).toBe(false);
      expect(await status()).toBe('pending');
    });

    test('what waits is skipped only where that is meant', async () => {
      expect(await under.store.queue(key, { nextAttemptAt: T0, trigger: 'schedule' }, T0)).toBe(true);
      expect(await under.store.queue(key, { nextAttemptAt: T0, trigger: 'schedule' }, T0 + 9)).toBe(false);
      expect(await under.store.skip(key, { ...overlap, evenIfQueued: false }, T0)).toBe(false);
      expect(await status()).toBe('pending');
      expect(await under.store.skip(key, overlap, T0)).toBe(true);
      expect(await status()).toBe('skipped');
    });

    test('a queued run is claimed with a fresh attempt count', async () => {
      await under.store.queue(key, { nextAttemptAt: T0, trigger: 'catchUp' }, T0);
      expect(await claim()).toMatchObject({ attempt: 1, fencingToken: 1, trigger: 'catchUp' });
    });

    test('a missed occurrence is recorded if it has no record', async () => {
      expect(await under.store.recordMissed(key, 'unknown', T0)).toBe(true);
      expect(await under.store.getRun(key)).toMatchObject({ status: 'missed', cause: 'unknown', attempts: 0 });
      expect(await under.store.recordMissed(key, 'unknown', T0 + 1)).toBe(false);
      expect(await outcome()).toBe('done');
    });
  });

  describe('closing', () => {
    const closing = { cause: 'cancelled', deadBefore: T0 + 2 * MINUTE };

    test('closes a dead run, not a live one', async () => {
      await claim();
      const run = await under.store.getRun(key);
      if (run === undefined) throw new Error('no run');
      expect(await under.store.close(run, { cause: 'cancelled', deadBefore: T0 }, T0)).toBe(false);
      expect(await under.store.close(run, closing, T0)).toBe(true);
      expect(await under.store.getRun(key)).toMatchObject({ status: 'failed', cause: 'cancelled' });
      expect(await under.store.close(run, closing, T0), 'its own answer was lost').toBe(true);
      expect(await under.store.close(run, closing, T0 + 1), 'another one was first').toBe(false);
    });

    test('an attempt whose run was closed as failed does not take that for its own failure', async () => {
      const claimed = await claim();
      const run = await under.store.getRun(key);
      if (run === undefined) throw new Error('no run');
      expect(await under.store.close(run, { cause: 'exhausted', deadBefore: T0 + MINUTE + 1 }, T0)).toBe(true);
      expect(await under.store.end(claimed, { status: 'failed', error: 'late' }, T0)).toBe('fenced');
    });

    test('of those who find a run exhausted, one closes it and the others find it done', async () => {
      await claim({ maxAttempts: 1 });
      const late = T0 + MINUTE + MARGIN + 1;
      const racing = Array.from({ length: 5 }, (_, i) =>
        under.store.claim(request({ claimToken: `t${i}`, now: late + i, maxAttempts: 1 })),
      );
      const outcomes = (await Promise.all(racing)).map((answer) => answer.outcome).sort();
      expect(outcomes).toEqual(['done', 'done', 'done', 'done', 'exhausted']);
    });

    test('closes a waiting run, but not one that was claimed since', async () => {
      const retry: Ending = { status: 'pending', nextAttemptAt: T0, error: 'x' };
      await under.store.end(await claim(), retry, T0);
      const waiting = await under.store.getRun(key);
      if (waiting === undefined) throw new Error('no run');
      await under.store.end(await claim({ claimToken: 'B' }), retry, T0);
      expect(await under.store.close(waiting, closing, T0)).toBe(false);
      expect(await status()).toBe('pending');
      const current = await under.store.getRun(key);
      if (current === undefined) throw new Error('no run');
      expect(await under.store.close(current, closing, T0)).toBe(true);
    });

    test('an exhausted run is closed by the watchdog', async () => {
      await claim({ maxAttempts: 1 });
      const run = await under.store.getRun(key);
      if (run === undefined) throw new Error('no run');
      expect(await under.store.closeExhausted(run, T0 + MINUTE)).toBe(false);
      expect(await under.store.closeExhausted(run, T0 + MINUTE + MARGIN + 1)).toBe(true);
      expect(await status()).toBe('failed');
    });

    test('asking to cancel reaches a running attempt, and nothing else', async () => {
      const claimed = await claim();
      const run = await under.store.getRun(key);
      if (run === undefined) throw new Error('no run');
      expect(await under.store.requestCancel(run, T0 + 7)).toBe(true);
      expect((await under.store.getRun(key))?.cancelRequestedAt).toBe(T0 + 7);
      await under.store.end(claimed, { status: 'succeeded' }, T0);
      expect(await under.store.requestCancel(run, T0 + 9)).toBe(false);
      expect((await under.store.getRun(key))?.cancelRequestedAt).toBe(T0 + 7);
    });
  });

  describe('the turn', () => {
    test('passes on one version at a time', async () => {
      const first = await claim();
      const free = await under.store.getTurn(key.job);
      expect(free).toEqual({ job: key.job, version: 0 });
      expect(await under.store.takeTurn(first, { seen: free, windowFrom: 5 }, T0)).toBe(true);
      expect(await under.store.getTurn(key.job)).toMatchObject({ holder: T0, version: 1, windowFrom: 5 });
      expect(await under.store.takeTurn(first, { seen: free }, T0), 'its own lost response').toBe(true);

      const other = await claim({ scheduledTime: T0 + MINUTE, claimToken: 'B' });
      expect(await under.store.takeTurn(other, { seen: free }, T0), 'seen before the other took it').toBe(false);
      const seen = await under.store.getTurn(key.job);
      expect(await under.store.takeTurn(other, { seen }, T0)).toBe(true);
      expect(await under.store.takeTurn(first, { seen }, T0)).toBe(false);
    });

    test('one that is remembered is not taken past a pause, nor when it moved on', async () => {
      const remembered = true;
      await under.store.takeTurn(await claim(), { seen: await under.store.getTurn(key.job) }, T0);
      const seen = await under.store.getTurn(key.job);
      const next = await claim({ scheduledTime: T0 + MINUTE, claimToken: 'B' });
      await under.store.pause(key.job, { by: 'mo', note: 'database move' }, T0);
      expect(await under.store.takeTurn(next, { seen, remembered }, T0)).toBe(false);
      expect(await under.store.takeTurn(next, { seen }, T0), 'who has read it knows of the pause').toBe(true);
      expect(await under.store.takeTurn(next, { seen, remembered }, T0), 'its own lost response').toBe(true);
      const late = await claim({ scheduledTime: T0 + 2 * MINUTE, claimToken: 'C' });
      expect(await under.store.takeTurn(late, { seen, remembered }, T0)).toBe(false);
    });

    test('the holder of an old claim does not take what its successor took', async () => {
      const zombie = await claim();
      const seen = await under.store.getTurn(key.job);
      const successor = await claim({ claimToken: 'B', now: T0 + 2 * MINUTE });
      expect(await under.store.takeTurn(successor, { seen }, T0)).toBe(true);
      expect(await under.store.takeTurn(zombie, { seen }, T0)).toBe(false);
    });

    test('one waits for it, until it gets it', async () => {
      const first = await claim();
      await under.store.takeTurn(first, { seen: await under.store.getTurn(key.job) }, T0);
      const seen = await under.store.getTurn(key.job);
      const waiting = { ...key, scheduledTime: T0 + MINUTE };
      expect(await under.store.buffer(waiting, seen, T0)).toBe(true);
      expect(await under.store.buffer(waiting, seen, T0)).toBe(true);
      expect(await under.store.buffer({ ...key, scheduledTime: T0 + 2 * MINUTE }, seen, T0)).toBe(false);
      const full = await under.store.getTurn(key.job);
      expect(full.buffered).toBe(waiting.scheduledTime);
      expect(await under.store.buffer({ ...key, scheduledTime: T0 + 2 * MINUTE }, full, T0)).toBe(true);
      const next = await claim({ ...waiting, scheduledTime: T0 + 2 * MINUTE, claimToken: 'C' });
      await under.store.takeTurn(next, { seen: await under.store.getTurn(key.job) }, T0);
      expect((await under.store.getTurn(key.job)).buffered).toBeUndefined();
    });

    test('a pause is kept with who and why', async () => {
      await under.store.pause(key.job, { by: 'mo', note: 'database move' }, T0);
      expect(await under.store.getTurn(key.job)).toMatchObject({
        paused: true,
        pausedBy: 'mo',
        pauseNote: 'database move',
      });
    });
  });

  test('a large checkpoint is kept by fencing token', async () => {
    const claimed = await claim();
    const text = JSON.stringify({ steps: { big: 'x'.repeat(100_000) } });
    await under.store.saveLargeCheckpoint(claimed, { text, number: 1 }, T0);
    expect(await under.store.loadLargeCheckpoint(key, claimed.fencingToken)).toBe(text);
    expect(await under.store.loadLargeCheckpoint(key, 9)).toBeUndefined();
  });

  test('a save that arrives after a later one takes nothing back', async () => {
    const claimed = await claim();
    const save = (number: number) =>
      under.store.renew(claimed, { leaseExpiresAt: T0 + MINUTE, checkpoint: { text: `save ${number}`, number } }, T0);
    const saveLarge = (number: number) =>
      under.store.saveLargeCheckpoint(claimed, { text: `save ${number}`, number }, T0);
    for (const number of [1, 2, 2, 1]) {
      expect(await save(number)).toBe('written');
      await saveLarge(number);
    }
    expect(await under.store.getRun(key)).toMatchObject({ checkpoint: 'save 2', saves: 2 });
    expect(await under.store.loadLargeCheckpoint(key, claimed.fencingToken)).toBe('save 2');
    await under.store.end(claimed, { status: 'pending', nextAttemptAt: T0, error: 'x' }, T0);
    expect(await claim({ claimToken: 'B' })).toMatchObject({ checkpoint: 'save 2', saves: 2 });
    expect(await save(3), 'of an attempt that is over').toBe('fenced');
  });

  test('many runs are read by key, whatever exists of them', async () => {
    const keys = Array.from({ length: 230 }, (_, i) => ({ job: key.job, scheduledTime: T0 + i * MINUTE }));
    for (const one of keys.filter((_, i) => i % 10 === 0)) await under.store.recordMissed(one, 'unknown', T0);
    const found = await under.store.getRuns([...keys, ...keys.slice(0, 5)]);
    expect(found.map((run) => run.scheduledTime).sort((a, b) => a - b)).toEqual(
      keys.filter((_, i) => i % 10 === 0).map((one) => one.scheduledTime),
    );
  });
});
