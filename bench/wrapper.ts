// bench: the whole wrapper over two bare SDK calls, on a stub server, beside Powertools idempotency, interleaved.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { newClaimToken } from '../lambdas/runtime/from-environment.ts';
import { defineJob, type RuntimeDependencies } from '../lambdas/runtime/index.ts';
import { DynamoDbRunStore } from '../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DYNAMODB_SETTINGS } from '../lib/adapters/sdk-client/client-settings.ts';
import { SystemClock } from '../lib/adapters/system-clock/system-clock.ts';
import { jobPartition, RUN_SORT_KEYS } from '../lib/domain/contract/run-table-keys.ts';
import { formatInstant } from '../lib/domain/time/instant.ts';

const ROUNDS = Number(process.argv[2] ?? 200);
/** Few at a time, so that whatever else goes on meanwhile meets all alike. */
const PER_ROUND = 10;

const stub = fork(join(import.meta.dirname, 'stub-dynamodb.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
const port = await new Promise<number>((resolve) =>
  stub.once('message', (message: { port: number }) => resolve(message.port)),
);
const settings = {
  endpoint: `http://127.0.0.1:${port}`,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
const client = new DynamoDBClient(settings);
/** As the wrapper makes its own. */
const ownClient = new DynamoDBClient({ ...settings, ...DYNAMODB_SETTINGS });

let serial = 0;
const context = {
  awsRequestId: 'request',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:job',
  getRemainingTimeInMillis: () => 300_000,
};

const bareWith = (client: DynamoDBClient) => async (): Promise<void> => {
  const Key = { pk: { S: jobPartition('job') }, sk: { S: `${RUN_SORT_KEYS}${++serial}` } };
  const now = Date.now();
  await client.send(
    new PutItemCommand({
      TableName: 'runs',
      Item: {
        ...Key,
        status: { S: 'running' },
        claimToken: { S: randomUUID() },
        leaseExpiresAt: { N: String(now + 300_000) },
        updatedAt: { N: String(now) },
        expiresAt: { N: String(Math.floor(now / 1000) + 7_776_000) },
      },
      ConditionExpression: 'attribute_not_exists(#pk)',
      ExpressionAttributeNames: { '#pk': 'pk' },
    }),
  );
  await client.send(
    new UpdateItemCommand({
      TableName: 'runs',
      Key,
      UpdateExpression: 'SET #status = :status, #updatedAt = :now, #result = :result',
      ExpressionAttributeNames: { '#status': 'status', '#updatedAt': 'updatedAt', '#result': 'result' },
      ExpressionAttributeValues: {
        ':status': { S: 'succeeded' },
        ':now': { N: String(Date.now()) },
        ':result': { S: '{"rows":3}' },
      },
    }),
  );
};

const dependencies: RuntimeDependencies = {
  job: {
    name: 'job',
    schedule: '* * * * *',
    timeZone: 'UTC',
    dst: {},
    timeoutMs: 295_000,
    retry: { maxAttempts: 3, backoff: 'exponential', initialDelayMs: 10_000, maxDelayMs: 60_000 },
    overlap: 'allow',
    startGraceMs: 60_000,
    revision: 'r1',
  },
  environment: 'bench',
  scheduler: 'bench',
  store: new DynamoDbRunStore(ownClient, 'runs'),
  clock: new SystemClock(),
  newClaimToken,
  print: () => {},
};
const job = defineJob(() => ({ rows: 3 }), { dependencies: () => dependencies });
const from = Math.floor(Date.now() / 1000) * 1000;

async function ours(): Promise<void> {
  const scheduledTime = formatInstant(from - ++serial * 1000);
  await job({ job: 'job', scheduledTime, revision: 'r1' }, context as Parameters<typeof job>[1]);
}

const idempotent = makeIdempotent(async (_event: object, _context: object) => ({ rows: 3 }), {
  persistenceStore: new DynamoDBPersistenceLayer({ tableName: 'idempotency', awsSdkV3Client: client }),
  config: new IdempotencyConfig({}),
});

async function powertools(): Promise<void> {
  await idempotent({ job: 'job', scheduledTime: ++serial }, context);
}

const variants = {
  'two bare SDK calls': bareWith(client),
  'this wrapper': ours,
  'Powertools idempotency': powertools,
  // What the wrapper adds when the bare calls are given its client as well.
  'bare, with its client': bareWith(ownClient),
};
const times: Record<string, number[]> = {};
const cpu: Record<string, number> = {};
for (const run of Object.values(variants)) for (let i = 0; i < 150; i++) await run();
for (let round = 0; round < ROUNDS; round++) {
  const names = Object.keys(variants) as (keyof typeof variants)[];
  // Another order each round, so that none is always the first after a pause.
  const first = round % names.length;
  for (const name of names.slice(first).concat(names.slice(0, first))) {
    const list = times[name] ?? [];
    times[name] = list;
    const before = process.cpuUsage();
    for (let i = 0; i < PER_ROUND; i++) {
      const started = performance.now();
      await variants[name]();
      list.push(performance.now() - started);
    }
    const used = process.cpuUsage(before);
    cpu[name] = (cpu[name] ?? 0) + (used.user + used.system) / 1000;
  }
}
stub.disconnect();
client.destroy();
ownClient.destroy();

const quantile = (list: readonly number[], q: number) =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length * q)] ?? 0;
const baseline = quantile(times['two bare SDK calls'] ?? [], 0.5);
const cpuBaseline = cpu['two bare SDK calls'] ?? 1;
console.log(`${ROUNDS * PER_ROUND} of each, interleaved; p50 and CPU as ratios to two bare calls`);
for (const [name, list] of Object.entries(times)) {
  const p50 = quantile(list, 0.5);
  const ms = (value: number) => value.toFixed(2).padStart(6);
  const ratios = `${(p50 / baseline).toFixed(2)}x, CPU ${((cpu[name] ?? 0) / cpuBaseline).toFixed(2)}x`;
  console.log(`${name.padEnd(24)} p50 ${ms(p50)} ms  p99 ${ms(quantile(list, 0.99))} ms  ${ratios}`);
}
console.log(`budget: this wrapper at most 1.05x at p50`);
