// bench: requests and capacity units of one successful run, by policy, counted at the table.
import { GetItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { runOnce } from '../lambdas/runtime/index.ts';
import { SettableClock } from '../lambdas/runtime/testing/index.ts';
import { TurnMemory } from '../lambdas/runtime/turn-memory.ts';
import { DynamoDbRunStore } from '../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import type { JobDefinition, OverlapPolicy } from '../lib/domain/job.ts';
import { formatInstant } from '../lib/domain/time/instant.ts';
import { startDynamoDb } from '../test/support/dynamodb-server.ts';
import { jobDefinition } from '../test/support/job-definition.ts';

const WRITE_UNIT_BYTES = 1_024;
const READ_UNIT_BYTES = 4_096;

await using server = await startDynamoDb();
await Promise.all([server.createTable('runs'), server.createTable('effects')]);
const client = server.client();
const clock = new SettableClock('2026-11-02T13:00:00Z');
let writes = 0;
let reads = 0;
const requests: string[] = [];

/** Units as DynamoDB charges them: by the larger of the item before and after, twice in a transaction. */
client.middlewareStack.add(
  (next, context) => async (step) => {
    const name = String(context.commandName);
    const answer = await next(step);
    if (counting) {
      requests.push(name.replace('Command', ''));
      const input = step.input as { TransactItems?: readonly object[]; Key?: never; TableName?: string };
      if (name === 'GetItemCommand') reads += await unitsOf(input, READ_UNIT_BYTES);
      else if (name === 'TransactWriteItemsCommand') writes += 2 * (input.TransactItems?.length ?? 0);
      else writes += await unitsOf(input, WRITE_UNIT_BYTES);
    }
    return answer;
  },
  { step: 'initialize', name: 'countUnits' },
);
let counting = false;

async function unitsOf({ Key, TableName }: { Key?: never; TableName?: string }, bytes: number): Promise<number> {
  counting = false;
  const { Item = {} } = await client.send(
    new GetItemCommand({ TableName: TableName ?? '', Key: Key ?? {}, ConsistentRead: true }),
  );
  counting = true;
  const size = Object.entries(Item).reduce(
    (sum, [name, value]) => sum + name.length + (value.S ?? value.N ?? '').length,
    0,
  );
  return Math.max(1, Math.ceil(size / bytes));
}

/** @param more What the handler commits, and what the process keeps from run to run. */
async function measure(
  name: string,
  overrides: Partial<JobDefinition>,
  { effects = [], turns }: { readonly effects?: readonly TransactWriteItem[]; readonly turns?: TurnMemory } = {},
) {
  const job = jobDefinition({ name, timeoutMs: 295_000, ...overrides });
  const deliver = () => {
    clock.advance(60_000);
    const context = { awsRequestId: 'r', invokedFunctionArn: 'arn', getRemainingTimeInMillis: () => 300_000 };
    const dependencies = {
      job,
      environment: 'bench',
      scheduler: 'bench',
      store: new DynamoDbRunStore(client, 'runs'),
      clock,
      newClaimToken: () => 'AAAAAAAAAAAA',
      print: () => {},
      ...(turns === undefined ? {} : { turns }),
    };
    const event = { job: name, scheduledTime: formatInstant(clock.now()) };
    return runOnce(dependencies, event, (run) => (effects.length > 0 ? run.commit(effects) : { rows: 3 }), context);
  };
  await deliver();
  writes = 0;
  reads = 0;
  requests.length = 0;
  counting = true;
  const { outcome } = await deliver();
  counting = false;
  if (outcome !== 'succeeded') throw new Error(`${name} came to ${outcome}`);
  console.log(
    `${name.padEnd(18)} ${writes} write units, ${reads} read units, ${requests.length} requests: ${requests.join(', ')}`,
  );
}

for (const overlap of ['allow', 'skip', 'bufferOne', 'cancelOther'] satisfies OverlapPolicy[]) {
  await measure(`overlap-${overlap.toLowerCase()}`, { overlap });
}
await measure('skip-warm-process', { overlap: 'skip' }, { turns: new TurnMemory() });
await measure('allow-pausable', { overlap: 'allow', pausable: true });
const effect: TransactWriteItem = { Put: { TableName: 'effects', Item: { pk: { S: 'a' }, sk: { S: 'b' } } } };
await measure('commit-one-effect', { overlap: 'allow' }, { effects: [effect] });
console.log('budget: allow 2 / skip and bufferOne 3 (+2 reads, none in a warm process) / commit with one effect 5');
