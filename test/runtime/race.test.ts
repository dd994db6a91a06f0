import { afterAll, beforeAll, expect, test } from 'vitest';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { type DynamoDbServer, startDynamoDb } from '../support/dynamodb-server.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { bundleJobProcess, JobProcess } from '../support/job-processes.ts';

const PROCESSES = 20;
const ROUNDS = 100;
const job = jobDefinition({ name: 'race', overlap: 'allow' });

let server: DynamoDbServer;
let bundle: Awaited<ReturnType<typeof bundleJobProcess>>;
let processes: JobProcess[] = [];

beforeAll(async () => {
  server = await startDynamoDb();
  await server.createTable('runs');
  bundle = await bundleJobProcess();
  processes = Array.from(
    { length: PROCESSES },
    () => new JobProcess(bundle.path, { url: server.url, table: 'runs', job }),
  );
  await Promise.all(processes.map((one) => one.start()));
});

afterAll(async () => {
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
  bundle[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

test(`${PROCESSES} processes race for one occurrence: one succeeds and the others are told so, ${ROUNDS} rounds`, {
  timeout: 240_000,
}, async () => {
  const store = new DynamoDbRunStore(server.client(), 'runs');
  const from = Math.floor(Date.now() / 60_000) * 60_000;
  for (let round = 0; round < ROUNDS; round++) {
    const scheduledTime = from - round * 60_000;
    const event = { job: job.name, scheduledTime: formatInstant(scheduledTime) };
    const replies = await Promise.all(processes.map((one) => one.deliver({ event, remainingMs: 60_000, workMs: 5 })));
    const outcomes = replies.map((reply) => (reply === 'killed' ? reply : reply.outcome));
    const tally = Map.groupBy(outcomes, (outcome) => outcome);
    expect(tally.get('succeeded'), `round ${round}: ${outcomes}`).toHaveLength(1);
    const told = [...(tally.get('busy') ?? []), ...(tally.get('done') ?? [])];
    expect(told, `round ${round}: ${outcomes}`).toHaveLength(PROCESSES - 1);
    expect(await store.getRun({ job: job.name, scheduledTime })).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      fencingToken: 1,
    });
  }
});
