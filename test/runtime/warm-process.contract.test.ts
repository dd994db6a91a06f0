import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobRun } from '../../lambdas/runtime/index.ts';
import { TurnMemory } from '../../lambdas/runtime/turn-memory.ts';
import { Deliveries } from '../support/deliveries.ts';
import { keepTimersMoving } from '../support/keep-timers-moving.ts';
import { ALL_STORES, type StoreUnderTest } from '../support/run-stores.ts';

const MINUTE = 60_000;
const FAILING = { retry: { maxAttempts: 1, backoff: 'fixed', initialDelayMs: 1, maxDelayMs: 1 } } as const;
const nothing = () => {};

/** What a warm process remembers of whose turn it is saves reading it, and decides nothing that the table does not confirm. */
describe.each(ALL_STORES)('a warm process on the %s store', (_, start) => {
  let under: StoreUnderTest;
  beforeAll(async () => {
    under = await start();
  });
  afterAll(() => under[Symbol.asyncDispose]());

  /** A job whose occurrence `it.at` this process has carried out. */
  async function warm(overrides: ConstructorParameters<typeof Deliveries>[1] = {}) {
    const it = new Deliveries(under, { overlap: 'skip', ...overrides });
    const turns = new TurnMemory();
    const deliver = (occurrence: number, handler: (run: JobRun) => unknown = nothing, event: object = {}) =>
      it.deliver(async (run) => void (await handler(run)), {
        scheduledTime: it.at + occurrence * MINUTE,
        turns,
        event,
      });
    const requests = async (deliver: () => Promise<unknown>) => {
      const before = it.requests.length;
      await deliver();
      return it.requests.slice(before);
    };
    expect(await deliver(0)).toMatchObject({ outcome: 'succeeded' });
    return { it, turns, deliver, requests };
  }

  test('reads nothing for the next occurrence', async () => {
    const { deliver, requests } = await warm();
    expect(await requests(() => deliver(1))).toEqual(['claim', 'takeTurn', 'end']);
    expect(await requests(() => deliver(2))).toEqual(['claim', 'takeTurn', 'end']);
  });

  test('knows the window as one that reads it', async () => {
    const { it, deliver } = await warm(FAILING);
    const windows: unknown[] = [];
    const note = ({ window }: JobRun) => void windows.push(window.from?.getTime());
    await deliver(1, (run) => {
      note(run);
      throw new Error('no');
    });
    await deliver(2, note);
    await it.deliver(note, { scheduledTime: it.at + 3 * MINUTE });
    expect(windows).toEqual([it.at, it.at, it.at + 2 * MINUTE]);
  });

  test('skips what falls into a pause', async () => {
    const { it, deliver } = await warm();
    await under.store.pause(it.job.name, { by: 'mo', note: '' }, it.at);
    expect(await deliver(1, () => expect.unreachable())).toMatchObject({ outcome: 'skipped' });
    expect(await it.record(it.at + MINUTE)).toMatchObject({ status: 'skipped', cause: 'paused', attempts: 0 });
    expect(await deliver(2, () => expect.unreachable())).toMatchObject({ outcome: 'skipped' });
  });

  test('skips what overlaps with a run in another process', async () => {
    const { it, deliver } = await warm();
    await it.crash({ scheduledTime: it.at + MINUTE });
    expect(await deliver(2, () => expect.unreachable())).toMatchObject({ outcome: 'skipped' });
    expect(await it.record(it.at + 2 * MINUTE)).toMatchObject({ status: 'skipped', cause: 'overlap', attempts: 0 });
  });

  test('goes on after a run that was in another process', async () => {
    const { it, deliver, requests } = await warm();
    await it.deliver(nothing, { scheduledTime: it.at + MINUTE });
    const windows: unknown[] = [];
    const run = () => deliver(2, ({ window }) => void windows.push(window.from?.getTime()));
    expect(await requests(run)).toEqual(['claim', 'takeTurn', 'getTurn', 'getRun', 'takeTurn', 'end']);
    expect(windows).toEqual([it.at + MINUTE]);
    expect(await requests(() => deliver(3))).toEqual(['claim', 'takeTurn', 'end']);
  });

  test('reads the turn for a run that a person asked for, and for one of the past', async () => {
    const { deliver, requests } = await warm();
    expect(await requests(() => deliver(1, nothing, { trigger: 'manual' }))).toContain('getTurn');
    expect(await requests(() => deliver(0.5))).toContain('getTurn');
  });

  test('reads it after an attempt that left its run to another one', async () => {
    const { it, deliver, requests } = await warm({
      retry: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 100_000, maxDelayMs: 100_000 },
    });
    const failing = deliver(1, () => {
      throw new Error('no');
    });
    expect(await failing).toMatchObject({ outcome: 'pending' });
    const next = () => deliver(2, () => expect.unreachable());
    expect(await requests(next)).toEqual(['getTurn', 'getRun', 'skip']);
    expect(await it.record(it.at + 2 * MINUTE)).toMatchObject({ status: 'skipped', cause: 'overlap' });
  });

  test.each(['claim', 'takeTurn', 'end'] as const)('takes a lost answer to its %s for what it was', async (lost) => {
    const { it, deliver } = await warm();
    it.fate = (method, count) => (method === lost && count === 1 ? 'loseResponse' : 'deliver');
    const stop = keepTimersMoving(it.clock);
    let bodies = 0;
    expect(await deliver(1, () => bodies++)).toMatchObject({ outcome: 'succeeded', attempt: 1 });
    expect(bodies).toBe(1);
    expect(await deliver(2)).toMatchObject({ outcome: 'succeeded', attempt: 1 });
    stop();
  });

  test('a pause that comes with a store in trouble is kept', async () => {
    const { it, deliver } = await warm();
    await under.store.pause(it.job.name, { by: 'mo', note: '' }, it.at);
    const tries = it.requests.filter((one) => one === 'getTurn').length;
    it.fate = (method, count) => (method === 'getTurn' && count === tries ? 'loseRequest' : 'deliver');
    const stop = keepTimersMoving(it.clock);
    expect(await deliver(1, () => expect.unreachable())).toMatchObject({ outcome: 'skipped' });
    expect(await it.record(it.at + MINUTE)).toMatchObject({ status: 'skipped', cause: 'paused' });
    stop();
  });
});
