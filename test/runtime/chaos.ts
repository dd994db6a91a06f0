/**
 * Chaos with real processes: `node test/runtime/chaos.ts [occurrences] [seed]`. Eight processes with the real SDK carry
 * out occurrences against dynalite behind the front, are killed at random, and get a third of the deliveries twice. At
 * the end each occurrence must have one outcome, and its committed effect must be there exactly once.
 */
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DEFAULT_LEASE_TIMES } from '../../lib/domain/run/lease.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { startDynamoDb } from '../support/dynamodb-server.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { bundleJobProcess, JobProcess, SCHEDULER } from '../support/job-processes.ts';
import { SeededRandom } from '../support/seeded-random.ts';

const PROCESSES = 8;
const DUPLICATES = 0.3;
const KILL_EVERY_MS = 350;
const REDELIVER_AFTER_MS = 400;
const leaseTimes = { ...DEFAULT_LEASE_TIMES, graceMs: 100, marginMs: 100, minimumToStartMs: 50, reserveMs: 100 };

export interface ChaosResult {
  readonly passed: number;
  readonly failures: readonly string[];
  readonly kills: number;
  readonly deliveries: number;
  /** Runs that needed more than one attempt. */
  readonly repeated: number;
}

export async function chaos(occurrences: number, seed: number): Promise<ChaosResult> {
  const random = new SeededRandom(seed);
  await using server = await startDynamoDb();
  await Promise.all([server.createTable('runs'), server.createTable('effects')]);
  using bundle = await bundleJobProcess();
  const retry = { maxAttempts: 100, backoff: 'fixed' as const, initialDelayMs: 50, maxDelayMs: 50 };
  const job = jobDefinition({ name: 'chaos', overlap: 'allow', retry, timeoutMs: 10_000 });
  const settings = { url: server.url, table: 'runs', job };
  const processes = Array.from({ length: PROCESSES }, () => new JobProcess(bundle.path, settings));

  const now = Math.floor(Date.now() / 60_000) * 60_000;
  const keys = Array.from({ length: occurrences }, (_, i) => ({ job: job.name, scheduledTime: now - i * 60_000 }));
  const queue: { readonly scheduledTime: number; readonly notBefore: number }[] = [];
  for (const { scheduledTime } of keys) {
    queue.push({ scheduledTime, notBefore: 0 });
    if (random.chance(DUPLICATES)) queue.push({ scheduledTime, notBefore: 0 });
  }
  const open = new Set(keys.map(({ scheduledTime }) => scheduledTime));
  let deliveries = 0;
  let kills = 0;
  const killer = setInterval(() => {
    random.pick(processes).kill();
    kills++;
  }, KILL_EVERY_MS);

  const work = async (one: JobProcess) => {
    while (open.size > 0) {
      const index = queue.findIndex(({ notBefore }) => notBefore <= performance.now());
      const [next] = index < 0 ? [] : queue.splice(index, 1);
      if (next === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      deliveries++;
      const { scheduledTime } = next;
      const reply = await one.deliver({
        event: { job: job.name, scheduledTime: formatInstant(scheduledTime) },
        remainingMs: 1_500,
        workMs: random.below(20),
        effectTable: 'effects',
        leaseTimes,
      });
      const over = reply !== 'killed' && (reply.outcome === 'succeeded' || reply.outcome === 'done');
      if (over) open.delete(scheduledTime);
      else if (open.has(scheduledTime))
        queue.push({ scheduledTime, notBefore: performance.now() + REDELIVER_AFTER_MS });
    }
  };
  await Promise.all(processes.map(work));
  clearInterval(killer);
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));

  const client = server.client();
  const runs = new Map(
    (await new DynamoDbRunStore(client, 'runs').getRuns(keys)).map((run) => [run.scheduledTime, run]),
  );
  const failures: string[] = [];
  for (const { scheduledTime } of keys) {
    const id = `${job.name}@${formatInstant(scheduledTime)}`;
    const { Item } = await client.send(
      new GetItemCommand({
        TableName: 'effects',
        Key: { pk: { S: `${SCHEDULER}/${id}` }, sk: { S: '$' } },
        ConsistentRead: true,
      }),
    );
    const status = runs.get(scheduledTime)?.status;
    if (status !== 'succeeded' || Item?.n?.N !== '1')
      failures.push(`${id}: ${status}, effect applied ${Item?.n?.N ?? 0} times`);
  }
  const repeated = [...runs.values()].filter(({ attempts }) => attempts > 1).length;
  return { passed: occurrences - failures.length, failures, kills, deliveries, repeated };
}

if (import.meta.main) {
  const [occurrences = '2000', seed = '1'] = process.argv.slice(2);
  const { passed, failures, kills, deliveries, repeated } = await chaos(Number(occurrences), Number(seed));
  for (const failure of failures) console.log(failure);
  console.log(`${deliveries} deliveries, ${kills} kills, ${repeated} runs with more than one attempt`);
  console.log(`${passed} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
