import { expect, test } from 'vitest';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DEFAULT_LEASE_TIMES } from '../../lib/domain/run/lease.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { startDynamoDb } from '../support/dynamodb-server.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { bundleJobProcess, JobProcess } from '../support/job-processes.ts';

const leaseTimes = { ...DEFAULT_LEASE_TIMES, graceMs: 100, marginMs: 100, minimumToStartMs: 50, reserveMs: 100 };

test('a process killed in the middle leads to a second attempt after the lease, and to one success', async () => {
  await using server = await startDynamoDb();
  await Promise.all([server.createTable('runs'), server.createTable('effects')]);
  using bundle = await bundleJobProcess();
  const job = jobDefinition({ name: 'killed', overlap: 'skip' });
  await using process = new JobProcess(bundle.path, { url: server.url, table: 'runs', job });
  const store = new DynamoDbRunStore(server.client(), 'runs');
  const scheduledTime = Math.floor(Date.now() / 60_000) * 60_000;
  const key = { job: job.name, scheduledTime };
  const event = { job: job.name, scheduledTime: formatInstant(scheduledTime) };
  const usual = { event, remainingMs: 3_000, effectTable: 'effects', leaseTimes };

  await process.start();
  const first = process.deliver({ ...usual, workMs: 60_000 });
  await expect.poll(async () => (await store.getRun(key))?.status, { timeout: 10_000 }).toBe('running');
  process.kill();
  expect(await first).toBe('killed');
  const replies: unknown[] = [];
  const deliverAgain = async () => {
    const reply = await process.deliver({ ...usual, workMs: 0 });
    replies.push(reply);
    return reply;
  };
  await expect.poll(deliverAgain, { timeout: 30_000, interval: 200 }).toMatchObject({ outcome: 'succeeded' });
  // How many find it busy depends on how long a new process takes to start.
  for (const reply of replies.slice(0, -1)) expect(reply).toMatchObject({ outcome: 'busy' });
  expect(await store.getRun(key)).toMatchObject({ status: 'succeeded', attempts: 2, fencingToken: 2 });
  expect(await process.deliver({ ...usual, workMs: 0 })).toMatchObject({ outcome: 'done' });
});
