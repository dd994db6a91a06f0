import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { AsyncInvoker } from '../../../lib/local/lambda/async-invoker.ts';
import { EnvironmentPool } from '../../../lib/local/lambda/environment-pool.ts';
import { MemoryWatch } from '../../../lib/local/lambda/memory-watch.ts';
import { eventually } from '../../support/eventually.ts';
import { sandboxFunction } from '../../support/sandbox-function.ts';

const codePath = fileURLToPath(new URL('../../support/local-app/functions', import.meta.url));
const pool = new EnvironmentPool(4);
const memory = new MemoryWatch();
afterAll(async () => {
  await pool.close();
  memory.close();
});

it('runs no more invocations at once than are reserved, throttles the others, and runs them all in the end', async () => {
  const clock = new VirtualClock();
  const overrides = { reservedConcurrency: 1, timeoutMs: 60_000 };
  const lambda = sandboxFunction({ handler: 'index.look', codePath, clock, pool, memory, overrides });
  const ended: string[] = [];
  let throttled = 0;
  let most = 0;
  const invoker = new AsyncInvoker(clock, {
    onAttempt: (event, outcome) => {
      most = Math.max(most, invoker.inFlight);
      if (outcome.ok) ended.push(event.payload);
    },
    onThrottled: () => throttled++,
    onDiscarded: () => {},
  });
  for (const wait of [50, 10, 20]) invoker.accept(lambda, JSON.stringify({ wait }));
  expect([invoker.inFlight, lambda.isThrottled, throttled]).toEqual([1, true, 2]);
  await eventually(() => expect(ended).toHaveLength(3));
  expect(most).toBe(1);
  clock.stop();
});

it('runs nothing of a function that has none reserved, and gives the events up when they are too old', async () => {
  const clock = new VirtualClock();
  const asyncInvoke = { maximumRetryAttempts: 2, maximumEventAgeMs: 500 };
  const overrides = { reservedConcurrency: 0, asyncInvoke };
  const lambda = sandboxFunction({ handler: 'index.look', codePath, clock, pool, memory, overrides });
  const records: object[] = [];
  const invoker = new AsyncInvoker(clock, {
    onAttempt: () => expect.unreachable(),
    onThrottled: () => {},
    onDiscarded: (_event, _outcome, record) => records.push(record),
  });
  invoker.accept(lambda, '{}');
  expect(records).toMatchObject([{ requestContext: { condition: 'EventAgeExceeded' } }]);
  clock.stop();
});
