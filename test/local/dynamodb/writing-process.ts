/**
 * Writes to a table of the local DynamoDB for as long as it lives, and tells its parent of everything that was answered.
 * Kills itself while LevelDB is writing.
 *
 * argv: folder of the store; a number from which it counts; at the how manieth write to LevelDB it dies.
 */
import type { PlainLevel } from 'dynalite/db/index.js';
import { DirectEngine } from '../../../lib/local/dynamodb/direct/direct-engine.ts';
import { DynaliteEngine } from '../../../lib/local/dynamodb/dynalite-engine.ts';
import { DynamoDbFront } from '../../../lib/local/dynamodb/dynamodb-front.ts';
import { DynamoDbStore } from '../../../lib/local/dynamodb/dynamodb-store.ts';

const [path = '', from = '1', deadly = '1'] = process.argv.slice(2);
const TableName = 'things';
const ITEMS = 20;

process.on('disconnect', () => process.exit(0));
const store = await DynamoDbStore.open(path);
const dynalite = new DynaliteEngine(store);
const front = new DynamoDbFront({ store, dynalite, engine: new DirectEngine(store, dynalite), now: Date.now });

const level = Object.getPrototypeOf(store.forDynalite.db) as PlainLevel;
const batch = level.batch;
let writes = 0;
level.batch = function (operations) {
  const written = batch.call(this, operations);
  writes++;
  if (writes === Number(deadly)) process.kill(process.pid, 'SIGKILL');
  return written;
};

/** All items of a transaction get the same number, and one that is written by itself. */
for (let n = Number(from); ; n++) {
  const version = { n: { N: String(n) }, filling: { S: `${n} `.repeat(40) } };
  const items = Array.from({ length: ITEMS }, (_, i) => ({
    pk: { S: 'transaction' },
    sk: { S: String(i) },
    ...version,
  }));
  const transaction = { TransactItems: items.map((Item) => ({ Put: { TableName, Item } })) };
  await tell('transaction', n, () => front.handle('TransactWriteItems', transaction));
  const single = { TableName, Item: { pk: { S: 'single' }, sk: { S: 'one' }, ...version } };
  await tell('single', n, () => front.handle('PutItem', single));
}

async function tell(what: string, n: number, write: () => Promise<{ status: number }>): Promise<void> {
  const { status } = await write();
  if (status === 200) process.send?.({ what, n });
}
