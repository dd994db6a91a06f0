import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EnvironmentPool } from '../../../lib/local/lambda/environment-pool.ts';
import type { ExecutionEnvironment } from '../../../lib/local/lambda/execution-environment.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A process that can only be alive or not. */
function fakeEnvironment(): ExecutionEnvironment {
  const environment = { alive: true, kill: () => {}, close: async () => environment.kill() };
  environment.kill = () => {
    environment.alive = false;
  };
  return environment as unknown as ExecutionEnvironment;
}

const start = async () => fakeEnvironment();

/** A start that keeps what it started. */
function counted() {
  const started: ExecutionEnvironment[] = [];
  const count = async () => {
    const environment = fakeEnvironment();
    started.push(environment);
    return environment;
  };
  return { started, count };
}

it('hands out the warmest process of the owner, and none of another', async () => {
  const pool = new EnvironmentPool(4);
  const first = await pool.acquire('a', start);
  const second = await pool.acquire('a', start);
  pool.release(first);
  pool.release(second);
  expect(await pool.acquire('a', start)).toBe(second);
  expect(await pool.acquire('b', start)).not.toBe(first);
});

it('makes room by ending the process idle for longest', async () => {
  const pool = new EnvironmentPool(2);
  const old = await pool.acquire('a', start);
  const young = await pool.acquire('b', start);
  pool.release(old);
  pool.release(young);
  await pool.acquire('c', start);
  expect([old.alive, young.alive]).toEqual([false, true]);
});

it('lets the next wait until one is free, in turn', async () => {
  const pool = new EnvironmentPool(1);
  const only = await pool.acquire('a', start);
  const order: string[] = [];
  const waiting = ['b', 'c'].map(async (owner) => {
    const got = await pool.acquire(owner, start);
    order.push(owner);
    pool.release(got);
  });
  await Promise.resolve();
  expect(order).toEqual([]);
  pool.release(only);
  await Promise.all(waiting);
  expect(order).toEqual(['b', 'c']);
});

it('ends what was idle for a minute and a half, and keeps what is used every minute', async () => {
  const pool = new EnvironmentPool(4);
  const rare = await pool.acquire('rare', start);
  pool.release(rare);
  for (let minute = 0; minute < 3; minute++) {
    const often = await pool.acquire('often', start);
    pool.release(often);
    vi.advanceTimersByTime(60_000);
    expect(often.alive).toBe(true);
  }
  expect(rare.alive).toBe(false);
});

it('starts nothing any more once it is closed, and lets nobody wait for ever', async () => {
  const pool = new EnvironmentPool(1);
  const busy = await pool.acquire('a', start);
  const waiting = pool.acquire('b', start);
  const closing = pool.close();
  await expect(waiting).rejects.toThrow('the runtime is stopping');
  await closing;
  expect(busy.alive).toBe(false);
  await expect(pool.acquire('c', start)).rejects.toThrow('the runtime is stopping');
});

it('retires the processes of changed code: idle ones at once, busy ones when they are done', async () => {
  const pool = new EnvironmentPool(4);
  const idle = await pool.acquire('a', start);
  const busy = await pool.acquire('a', start);
  pool.release(idle);
  await pool.retire('a');
  expect([idle.alive, busy.alive]).toEqual([false, true]);
  pool.release(busy);
  expect(busy.alive).toBe(false);
});

it('has a spare process ready for each owner in use, if it is to', async () => {
  const pool = new EnvironmentPool(3, { spares: true });
  const { started, count } = counted();
  const lost = await pool.acquire('a', count);
  await vi.waitFor(() => expect(started).toHaveLength(2));
  lost.kill();
  pool.release(lost);
  expect(await pool.acquire('a', count)).toBe(started[1]);
  await vi.waitFor(() => expect(started).toHaveLength(3));
  // Code that has changed is in no spare.
  await pool.retire('a');
  expect(started[2]?.alive).toBe(false);
  await pool.close();
  expect(started.map(({ alive }) => alive)).toEqual([false, false, false]);
});

it('ends spare processes too when nobody needs them', async () => {
  const pool = new EnvironmentPool(8, { spares: true });
  const { started: rare, count } = counted();
  pool.release(await pool.acquire('rare', count));
  for (let minute = 0; minute < 3; minute++) {
    pool.release(await pool.acquire('often', start));
    await vi.advanceTimersByTimeAsync(60_000);
  }
  expect(rare.map(({ alive }) => alive)).toEqual([false, false]);
  await pool.close();
});
