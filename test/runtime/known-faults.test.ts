import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JobRun, runOnce } from '../../lambdas/runtime/index.ts';
import { SettableClock } from '../../lambdas/runtime/testing/index.ts';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { type DynamoDbServer, startDynamoDb } from '../support/dynamodb-server.ts';
import { jobDefinition } from '../support/job-definition.ts';

/*
 * Three faults that an idempotency layer without claim tokens and fences has (bench/wrapper-faults.ts shows them), over
 * the real SDK and a network that loses responses: here they must not be.
 */

const job = jobDefinition({ name: 'faults', overlap: 'allow' });
let server: DynamoDbServer;
let scheduledTime = Date.parse('2026-11-02T13:00:00Z');

beforeAll(async () => {
  server = await startDynamoDb();
  await server.createTable('runs');
});
afterAll(() => server[Symbol.asyncDispose]());

function deliveries() {
  scheduledTime += 60_000;
  const at = scheduledTime;
  const clock = new SettableClock(at);
  const store = new DynamoDbRunStore(server.client(), 'runs');
  let tokens = 0;
  const deliver = (handler: (run: JobRun) => unknown, { remainingMs = 300_000, own = clock } = {}) => {
    const endsAt = own.now() + remainingMs;
    return runOnce(
      {
        job,
        environment: 'test',
        scheduler: 'test',
        store,
        clock: own,
        newClaimToken: () => `token-${++tokens}`,
        print: () => {},
      },
      { job: job.name, scheduledTime: formatInstant(at) },
      handler,
      { awsRequestId: 'r', invokedFunctionArn: 'arn', getRemainingTimeInMillis: () => endsAt - own.now() },
    );
  };
  return { clock, deliver, record: () => store.getRun({ job: job.name, scheduledTime: at }) };
}

describe('P1 a zombie and its successor', () => {
  test.each([
    ['late success', (): unknown => ({ by: 'zombie' })],
    ['late failure', (): unknown => Promise.reject(new Error('late'))],
  ])('a %s changes nothing, and nobody runs beside the successor', async (_, end) => {
    const { clock, deliver, record } = deliveries();
    let wake = () => {};
    let began = () => {};
    const beginning = new Promise<void>((resolve) => {
      began = resolve;
    });
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const zombie = deliver(
      async () => {
        began();
        await asleep;
        return end();
      },
      { remainingMs: 30_000, own: new SettableClock(clock.now()) },
    );
    await beginning;
    clock.advance(60_000);
    const successor = await deliver(async () => {
      wake();
      expect(await zombie).toMatchObject({ outcome: 'fenced' });
      expect(await deliver(() => expect.unreachable()), 'the lease of the successor still holds').toMatchObject({
        outcome: 'busy',
      });
      return { by: 'successor' };
    });
    expect(successor).toMatchObject({ outcome: 'succeeded', attempt: 2 });
    expect((await record())?.result).toBe('{"by":"successor"}');
  });
});

test('P2 a claim whose response is lost is still a claim: one body runs', async () => {
  const { deliver, record } = deliveries();
  let lost = 0;
  server.fate = (operation) => (operation === 'UpdateItem' && lost++ === 0 ? 'loseResponse' : 'deliver');
  let bodies = 0;
  expect(await deliver(() => void bodies++)).toMatchObject({ outcome: 'succeeded', attempt: 1 });
  server.fate = () => 'deliver';
  expect(lost).toBeGreaterThan(1);
  expect(bodies).toBe(1);
  expect(await record()).toMatchObject({ status: 'succeeded', fencingToken: 1 });
});

test("P3 a crash early in a long timeout: Lambda's two retries find it busy, and a later delivery completes it", async () => {
  const { clock, deliver, record } = deliveries();
  await new Promise<void>((resolve) => {
    void deliver(() => new Promise(() => resolve()), { remainingMs: 900_000, own: new SettableClock(clock.now()) });
  });
  clock.advance(60_000);
  expect(await deliver(() => {})).toMatchObject({ outcome: 'busy' });
  clock.advance(120_000);
  expect(await deliver(() => {})).toMatchObject({ outcome: 'busy' });
  clock.advance(900_000);
  expect(await deliver(() => {}), 'the wake-up or the watchdog').toMatchObject({ outcome: 'succeeded', attempt: 2 });
  expect((await record())?.status).toBe('succeeded');
});
