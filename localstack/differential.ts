/**
 * Asks the local runtime's DynamoDB and an emulator's the same random things and compares what they say, and what is
 * stored afterwards. Exits with 1 at the first difference.
 *
 * --calls N (2000)  --seed N (a new one, printed)
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { type Engine, endpointEngine, startOurs } from './differential/engines.ts';
import { Random } from './differential/random.ts';
import { again, type Call, randomCall, randomRace, TABLE } from './differential/random-calls.ts';
import { saying } from './differential/saying.ts';
import { emulatorSettings, untilReady } from './emulator.ts';

const CONTENDERS = 12;
const CALLS_BETWEEN_LOOKS = 100;

const { values: flags } = parseArgs({ options: { calls: { type: 'string' }, seed: { type: 'string' } } });
const wanted = Number(flags.calls ?? 2_000);
const seed = Number(flags.seed ?? Date.now() % 1_000_000);
const settings = emulatorSettings();
const { kind, version = '' } = await untilReady(settings.endpoint);
const random = new Random(seed);
const local = await startOurs();
const ours = endpointEngine(local.url, settings.region);
const theirs = endpointEngine(settings.endpoint, settings.region);
const seen = new Map<string, number>();
/** Transactions with a token that were carried out. What a token means after a cancelled one, AWS does not say. */
const carriedOut: Call[] = [];
let calls = 0;

console.log(`comparing with ${kind} ${version} at ${settings.endpoint}, --seed ${seed}`);
await prepare();
while (calls < wanted) {
  const chosen = random.integer(40);
  if (chosen === 0) await race(randomRace(random, CONTENDERS));
  else if (chosen === 1 && carriedOut.length > 0) await ask(again(random, random.pick(carriedOut)));
  else await ask(randomCall(random, calls));
  if (Math.floor(calls / CALLS_BETWEEN_LOOKS) !== Math.floor((calls - 1) / CALLS_BETWEEN_LOOKS)) await look();
}
await look();
for (const [what, count] of [...seen].sort()) console.log(`${String(count).padStart(6)}  ${what}`);
await local.close();
console.log(`ok    ${calls} calls, ${seen.size} kinds of answers: the same here and at ${kind} ${version}`);

async function prepare(): Promise<void> {
  const create = {
    TableName: TABLE,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  };
  await theirs('DeleteTable', { TableName: TABLE });
  for (const engine of [ours, theirs]) {
    await engine('CreateTable', create);
    while (!(await isActive(engine))) await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function isActive(engine: Engine): Promise<boolean> {
  const { body } = await engine('DescribeTable', { TableName: TABLE });
  return (body.Table as { readonly TableStatus?: string } | undefined)?.TableStatus === 'ACTIVE';
}

async function ask(call: Call): Promise<void> {
  const [here, there] = await Promise.all([ours(call.operation, call.body), theirs(call.operation, call.body)]);
  calls++;
  const [said, expected] = [saying(here), saying(there)];
  if (!isDeepStrictEqual(said, expected)) differ(call, said, expected);
  if (call.body.ClientRequestToken !== undefined && said.error === undefined) carriedOut.push(call);
  const what = `${call.kind}: ${said.error ?? 'done'}`;
  seen.set(what, (seen.get(what) ?? 0) + 1);
}

/** One wins, whichever it is; the others are told so, with what the winner wrote. */
async function race(contenders: readonly Call[]): Promise<void> {
  const outcome = async (engine: Engine) => {
    const answers = await Promise.all(contenders.map(({ operation, body }) => engine(operation, body)));
    return answers.map(saying).map(({ error }) => error ?? 'done');
  };
  const [here, there] = await Promise.all([outcome(ours), outcome(theirs)]);
  calls += contenders.length;
  const winners = (outcomes: readonly string[]) => outcomes.filter((one) => one === 'done').length;
  if (winners(here) !== winners(there) || winners(here) > 1) differ(contenders[0] as Call, here, there);
  const what = `race of ${contenders.length}: ${winners(here)} won`;
  seen.set(what, (seen.get(what) ?? 0) + 1);
  // Who won may differ: the item is put back to what both agree on.
  const { body } = contenders[0] as Call;
  for (const engine of [ours, theirs]) await engine('DeleteItem', { TableName: TABLE, Key: body.Key });
}

/** Everything stored, here and there. */
async function look(): Promise<void> {
  const items = async (engine: Engine) => {
    const { body } = await engine('Scan', { TableName: TABLE, ConsistentRead: true });
    return ((body.Items ?? []) as object[]).map((item) => JSON.stringify(Object.entries(item).sort())).sort();
  };
  const [here, there] = await Promise.all([items(ours), items(theirs)]);
  if (!isDeepStrictEqual(here, there)) differ({ kind: 'what is stored', operation: 'Scan', body: {} }, here, there);
}

function differ(call: Call, here: unknown, there: unknown): never {
  console.error(`FAIL  after ${calls} calls with --seed ${seed}, ${call.kind} is answered differently`);
  console.error(JSON.stringify({ operation: call.operation, body: call.body, here, there }, undefined, 2));
  process.exit(1);
}
