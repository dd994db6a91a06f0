// bench: three faults of an idempotency layer without claim tokens and fences, shown on Powertools idempotency.
import { setTimeout as sleep } from 'node:timers/promises';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { CreateTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { startDynamoDb } from '../test/support/dynamodb-server.ts';

await using server = await startDynamoDb();
const client = server.client();
await client.send(
  new CreateTableCommand({
    TableName: 'idempotency',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  }),
);
await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.1 }, { TableName: 'idempotency' });

type Body = () => unknown;

/** A function as an idempotent Lambda handler with so much time left; the key is the same for all of one name. */
function handlerOf(keyPrefix: string, remainingMs: number, body: Body): () => Promise<unknown> {
  const handler = makeIdempotent(async (_event: object, _context: object) => body(), {
    persistenceStore: new DynamoDBPersistenceLayer({ tableName: 'idempotency', awsSdkV3Client: client }),
    config: new IdempotencyConfig({}),
    keyPrefix,
  });
  return () => handler({ occurrence: 1 }, { getRemainingTimeInMillis: () => remainingMs });
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error));
const told = async (call: Promise<unknown>) => call.then(() => 'ran', nameOf);

{
  const log: string[] = [];
  let failLate = () => {};
  const zombie = handlerOf(
    'P1',
    300,
    () =>
      new Promise((_, reject) => {
        failLate = () => reject(new Error('late failure'));
      }),
  )();
  const zombieTold = told(zombie);
  await sleep(600);
  let finish = (_: unknown) => {};
  const successor = handlerOf(
    'P1',
    60_000,
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  )();
  await sleep(200);
  failLate();
  await zombieTold;
  const third = await told(handlerOf('P1', 60_000, () => log.push('third'))());
  finish(1);
  await successor;
  console.log(`P1 a zombie fails late while its successor holds a 60 s lease: a third invocation ${third}`);
}
{
  let bodies = 0;
  let lost = 0;
  server.fate = (operation) => (operation === 'PutItem' && lost++ === 0 ? 'loseResponse' : 'deliver');
  const outcome = await told(handlerOf('P2', 60_000, () => ++bodies)());
  server.fate = () => 'deliver';
  console.log(`P2 the response to the claim is lost: ${outcome}, bodies run: ${bodies}`);
}
{
  let bodies = 0;
  void handlerOf('P3', 3_000, () => new Promise(() => {}))();
  await sleep(200);
  const retries: string[] = [];
  for (const wait of [300, 600]) {
    await sleep(wait);
    retries.push(await told(handlerOf('P3', 3_000, () => ++bodies)()));
  }
  console.log(
    `P3 a crash early in the timeout (scaled): Lambda's retries are told ${retries.join(', ')}; bodies completed: ${bodies}`,
  );
}
process.exit(0);
