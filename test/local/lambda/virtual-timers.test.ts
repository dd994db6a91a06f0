import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { EnvironmentPool } from '../../../lib/local/lambda/environment-pool.ts';
import { readErrorPayload } from '../../../lib/local/lambda/invocation-outcome.ts';
import { MemoryWatch } from '../../../lib/local/lambda/memory-watch.ts';
import { sandboxFunction } from '../../support/sandbox-function.ts';

const FROM = Date.parse('2026-10-31T23:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const codePath = fileURLToPath(new URL('../../support/local-app/functions', import.meta.url));
const memory = new MemoryWatch();
let pool: EnvironmentPool;
let clock: VirtualClock;

beforeEach(() => {
  pool = new EnvironmentPool(4);
});
afterEach(async () => {
  clock.stop();
  await pool.close();
});
afterAll(() => memory.close());

function functionOf(handler: string, overrides = {}, speed = 100_000) {
  clock = new VirtualClock({ from: FROM, speed });
  // At such a speed minutes would go by before the invocation holds the clock.
  clock.pause();
  clock.start();
  setImmediate(() => clock.resume());
  // Something is always due on a runtime's clock; without anything it would run away between two invocations.
  const everyHour = (at: number) => clock.schedule(at, () => everyHour(at + HOUR));
  everyHour(FROM + HOUR);
  const settings = { timeoutMs: 5 * HOUR, ...overrides };
  return sandboxFunction({ handler: `waits.${handler}`, codePath, clock, pool, memory, overrides: settings });
}

async function answer(handler: string, event: object = {}, overrides = {}): Promise<unknown> {
  const outcome = await functionOf(handler, overrides).invoke('r-1', JSON.stringify(event));
  expect(outcome).toMatchObject({ ok: true });
  return JSON.parse(outcome.payload);
}

describe.runIf(process.platform === 'linux')('at high speed', () => {
  it('lets a job that sleeps for two hours wake up at once, two hours later on every clock', async () => {
    const lambda = functionOf('sleep');
    let host = 0;
    const outcome = await lambda.invoke('r-1', JSON.stringify({ ms: 2 * HOUR }), () => {
      host = clock.now() - FROM;
    });
    const slept = JSON.parse(outcome.payload) as { date: number; elapsed: number };
    for (const time of [slept.date, slept.elapsed, outcome.durationMs, host]) {
      expect(time).toBeGreaterThanOrEqual(2 * HOUR - 1);
      expect(time).toBeLessThan(2 * HOUR + MINUTE);
    }
  });

  it('times a job out that sleeps beyond its timeout', async () => {
    const outcome = await functionOf('sleep', { timeoutMs: 15 * MINUTE }).invoke('r-2', JSON.stringify({ ms: HOUR }));
    expect(outcome).toMatchObject({ ok: false, failure: 'timeout' });
    expect(readErrorPayload(outcome.payload).errorMessage).toBe(
      'RequestId: r-2 Error: Task timed out after 900.00 seconds',
    );
    expect(outcome.durationMs).toBeGreaterThanOrEqual(15 * MINUTE - 1);
    expect(outcome.durationMs).toBeLessThan(16 * MINUTE);
  });

  it('fires timers as Node does: in order, again, refreshed, and not when they were cleared', async () => {
    expect(await answer('callbacks')).toEqual({
      same: true,
      again: true,
      told: [
        ['node:timers', 1],
        ['with a,b', 1],
        ['unref', 3],
        ['tick', 4],
        ['tick', 8],
        ['tick', 12],
        ['refreshed', 13],
        ['refreshed', 28],
      ],
    });
  });

  it('waits with promises as Node does', async () => {
    expect(await answer('promises')).toEqual({
      told: [
        ['waited', 1],
        ['scheduler', 2],
        ['promisified', 3],
        ['tick', 4],
        ['tick', 5],
        ['AbortError ABORT_ERR enough', 6],
        ['TimeoutError', 7],
        ['ERR_INVALID_ARG_TYPE', 7],
      ],
    });
  });

  it('keeps real pace for a job that waits for an answer, or for a thread', async () => {
    const server = createServer((_request, response) => void setTimeout(() => response.end('answered'), 300));
    const url = await listen(server);
    try {
      expect(await answer('busy', { url })).toBe('answered');
    } finally {
      server.close();
    }
    expect(await answer('busy')).toBe('done');
  });

  it('lets jobs that sleep at the same time each wake at their own instant', async () => {
    const lambda = functionOf('sleep');
    const ends: [number, number][] = [];
    const sleep = async (minutes: number) => {
      await lambda.invoke(`r-${minutes}`, JSON.stringify({ ms: minutes * MINUTE }), () => {
        ends.push([minutes, Math.round((clock.now() - FROM) / MINUTE)]);
      });
    };
    await Promise.all([sleep(30), sleep(10), sleep(50)]);
    expect(ends).toEqual([
      [10, 10],
      [30, 30],
      [50, 50],
    ]);
  });
});

it('changes nothing at real speed', async () => {
  const outcome = await functionOf('sleep', {}, 1).invoke('r-1', JSON.stringify({ ms: 200 }));
  const slept = JSON.parse(outcome.payload) as { date: number; elapsed: number };
  // A timer may fire one millisecond early by a clock that shows more than whole ones.
  expect(slept.elapsed).toBeGreaterThanOrEqual(199);
  expect(outcome.durationMs).toBeGreaterThanOrEqual(199);
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
