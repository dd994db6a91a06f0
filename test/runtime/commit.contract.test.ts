import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Deliveries } from '../support/deliveries.ts';
import { STORES, type StoreUnderTest } from '../support/run-stores.ts';

describe.each(STORES)('a commit on the %s store', (_, start) => {
  let under: StoreUnderTest;
  beforeAll(async () => {
    under = await start();
  });
  afterAll(() => under[Symbol.asyncDispose]());

  test('that did not get through is no success, even when the handler passes over it', async () => {
    const it = new Deliveries(under);
    it.fate = (method) => (method === 'commit' ? 'loseRequest' : 'deliver');
    const swallowing = it.deliver((run) => run.commit([under.effect(it.job.name)]).catch(() => {}), {
      remainingMs: 30_000,
    });
    // Each advance lets one more repetition of the request begin.
    for (let i = 0; i < 400 && (await pending(swallowing)); i++) it.clock.advance(100);
    expect(await swallowing).toMatchObject({ outcome: 'pending' });
    it.fate = () => 'deliver';
    it.clock.advance(60_000);
    expect(await it.deliver((run) => run.commit([under.effect(it.job.name)]))).toMatchObject({ outcome: 'succeeded' });
    expect(await under.timesApplied(it.job.name)).toBe(1);
  });

  test('that was refused may be followed by another one, with other items', async () => {
    const it = new Deliveries(under);
    const codes: unknown[] = [];
    const outcome = await it.deliver(async (run) => {
      await run.commit([under.refusedEffect]).catch((error: { code?: unknown }) => codes.push(error.code));
      await run.commit([under.effect(it.job.name)]);
    });
    expect(codes).toEqual(['CommitRefused']);
    expect(outcome).toMatchObject({ outcome: 'succeeded' });
    expect(await under.timesApplied(it.job.name)).toBe(1);
  });

  test('keeps a result that has no JSON to itself', async () => {
    const it = new Deliveries(under);
    const result = { count: 1n } as never;
    expect(await it.deliver((run) => run.commit([under.effect(it.job.name)], { result }))).toMatchObject({
      outcome: 'succeeded',
    });
    expect(await under.timesApplied(it.job.name)).toBe(1);
  });
});

function pending(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise<boolean>((resolve) => setImmediate(() => setImmediate(() => resolve(true))));
  return Promise.race([promise.then(() => false), later]);
}
