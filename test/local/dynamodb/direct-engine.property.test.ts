import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DirectEngine } from '../../../lib/local/dynamodb/direct/direct-engine.ts';
import { DynaliteEngine } from '../../../lib/local/dynamodb/dynalite-engine.ts';
import { DynamoDbFront } from '../../../lib/local/dynamodb/dynamodb-front.ts';
import { DynamoDbStore } from '../../../lib/local/dynamodb/dynamodb-store.ts';
import type { Answer, Body } from '../../../lib/local/dynamodb/front-types.ts';
import { Random } from '../../../localstack/differential/random.ts';
import { randomCall, TABLE } from '../../../localstack/differential/random-calls.ts';
import { createRunTable } from '../../support/dynamodb-server.ts';
import { eventually } from '../../support/eventually.ts';

interface Call {
  readonly operation: string;
  readonly body: Body;
}

/** Counts what reaches dynalite. */
class CountingEngine extends DynaliteEngine {
  calls = 0;

  override call(operation: string, body: Body): Promise<Answer> {
    this.calls++;
    return super.call(operation, body);
  }
}

/** Two of the same, in memory: one carries out directly what it can, the other asks dynalite for everything. */
async function pair(table: Body) {
  const [store, peerStore] = [await DynamoDbStore.open(), await DynamoDbStore.open()];
  const [dynalite, peerDynalite] = [new CountingEngine(store), new DynaliteEngine(peerStore)];
  const now = () => Date.parse('2026-11-01T00:00:00Z');
  const direct = new DynamoDbFront({ store, dynalite, engine: new DirectEngine(store, dynalite), now });
  const peer = new DynamoDbFront({ store: peerStore, dynalite: peerDynalite, engine: peerDynalite, now });
  for (const front of [direct, peer]) {
    await front.handle('CreateTable', table);
    await eventually(async () => {
      const { body } = await front.handle('DescribeTable', { TableName: table.TableName });
      expect((body.Table as Body | undefined)?.TableStatus).toBe('ACTIVE');
    });
  }
  const ask = async ({ operation, body }: Call): Promise<Answer> => {
    const before = JSON.stringify(body);
    const [answer, expected] = [await direct.handle(operation, body), await peer.handle(operation, JSON.parse(before))];
    expect(inOrder(answer), before).toEqual(inOrder(expected));
    return answer;
  };
  return { ask, dynalite };
}

/** What a batch finds comes in no order. */
function inOrder({ status, body }: Answer): Answer {
  const responses = (body.Responses ?? {}) as Record<string, unknown>;
  const lists = Object.entries(responses).map(([table, items]) => [
    table,
    Array.isArray(items) ? items.map((item) => JSON.stringify(item, sortedKeys)).sort() : items,
  ]);
  return { status, body: { ...body, ...(lists.length === 0 ? {} : { Responses: Object.fromEntries(lists) }) } };
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

const RUN_TABLE = { ...createRunTable(TABLE).input };

test('the calls of the run protocol are answered as dynalite answers them, most of them without it', async () => {
  const { ask, dynalite } = await pair(RUN_TABLE);
  const random = new Random(20261101);
  const count = 1_500;
  for (let index = 0; index < count; index++) await ask(randomCall(random, index));
  await ask({ operation: 'Scan', body: { TableName: TABLE } });
  expect(dynalite.calls).toBeLessThan(count * 0.7);
});

test.each([
  ['n BETWEEN :one AND :two', [{ N: '1' }, { N: '7' }], [{ N: '7' }, { N: '1' }]],
  ['attribute_type(n, :one) OR n = :two', [{ S: 'N' }, { N: '1' }], [{ S: 'X' }, { N: '1' }]],
])('a form that is valid with some values and not with others is judged each time: %s', async (condition, ...pairs) => {
  const { ask } = await pair(RUN_TABLE);
  const answers: number[] = [];
  for (const [one, two] of [...pairs, ...pairs]) {
    const Item = { pk: { S: 'p' }, sk: { S: 's' }, n: { N: '5' } };
    const ExpressionAttributeValues = { ':one': one, ':two': two };
    const ConditionExpression = `attribute_not_exists(pk) OR ${condition}`;
    const body = { TableName: TABLE, Item, ConditionExpression, ExpressionAttributeValues };
    answers.push((await ask({ operation: 'PutItem', body })).status);
  }
  expect(answers).toEqual([200, 400, 200, 400]);
});

const RUNS = 300;

const text = fc.constantFrom('', 'a', 'b', 'zürich', '~', 'a/b', 'x'.repeat(600), 'long'.repeat(400));
const number = fc.constantFrom(
  '0',
  '1',
  '-1',
  '1.0',
  '01',
  '+2',
  '1e3',
  '-0',
  '0.5',
  '12345678901234567890',
  '1e200',
  'x',
  '',
);
const scalar = fc.oneof(
  text.map((S) => ({ S })),
  number.map((N) => ({ N })),
  fc.constantFrom(
    { BOOL: true },
    { NULL: true },
    { NULL: false },
    { B: 'YQ==' },
    { B: 'YQ' },
    { S: 5 },
    {},
    { X: 'y' },
  ),
);
const attribute = fc.oneof(
  scalar,
  fc.array(fc.constantFrom('a', 'b', ''), { maxLength: 3 }).map((SS) => ({ SS })),
  fc.array(fc.constantFrom('1', '2', '1.0'), { maxLength: 3 }).map((NS) => ({ NS })),
  fc.array(scalar, { maxLength: 2 }).map((L) => ({ L })),
  fc.dictionary(fc.constantFrom('k', 'l'), scalar).map((M) => ({ M })),
  fc.constantFrom({ S: 'x'.repeat(410_000) }, { S: 'x', N: '1' }),
);
const usual = fc.constantFrom({ S: 'a' }, { N: '1' }, { N: '7' });
const pk = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom({ S: 'a' }, { S: 'b' }) },
  { weight: 1, arbitrary: scalar },
);
const sk = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom({ N: '1' }, { N: '-2' }, { N: '10' }, { N: '1.5' }) },
  { weight: 1, arbitrary: scalar },
);
const key = fc.oneof(
  { weight: 8, arbitrary: fc.record({ pk, sk }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({}, { pk: { S: 'a' } }, { pk: { S: 'a' }, sk: { N: '1' }, more: { S: 'x' } }),
  },
);
const attributes = fc.dictionary(fc.constantFrom('a', 'g', 'l'), fc.oneof({ weight: 3, arbitrary: usual }, attribute));
const value = fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: attribute });
const condition = fc.constantFrom(
  undefined,
  'attribute_not_exists(pk)',
  'attribute_exists(#a)',
  'g = :v OR attribute_not_exists(g)',
  'l BETWEEN :v AND :w',
  'size(g) > :w',
  'status = :v',
  'g = = :v',
);
const update = fc.constantFrom(
  undefined,
  'SET #a = :v',
  'SET g = :v, l = :w',
  'ADD #a :v',
  'ADD g :v REMOVE l',
  'SET #a = if_not_exists(#a, :v) + :w',
  'DELETE g :v',
  'SET pk = :v',
  'REMOVE #a',
  'SET l[0] = :v',
);
const returned = fc.constantFrom(undefined, 'NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_NEW', 'OTHER');

/** The values and names that the expressions use: all, and now and then one that is not used. */
function expressions(parts: Record<string, string | undefined>, values: Record<string, unknown>, spare: boolean): Body {
  const used = Object.values(parts).join(' ');
  const wanted = Object.entries(values).filter(([name]) => spare || used.includes(name));
  return {
    ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)),
    ...(spare || used.includes('#a') ? { ExpressionAttributeNames: { '#a': 'a' } } : {}),
    ...(wanted.length === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(wanted) }),
  };
}

const TableName = 'indexed';
const spare = fc.integer({ min: 0, max: 15 }).map((drawn) => drawn === 0);
const defined = (fields: Body): Body =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
const write = fc
  .tuple(
    fc.constantFrom('PutItem', 'UpdateItem', 'DeleteItem'),
    key,
    attributes,
    condition,
    update,
    returned,
    value,
    value,
    spare,
  )
  .map(([operation, Key, more, ConditionExpression, UpdateExpression, ReturnValues, v, w, unused]): Call => {
    const parts = operation === 'UpdateItem' ? { UpdateExpression, ConditionExpression } : { ConditionExpression };
    const what = operation === 'PutItem' ? { Item: { ...more, ...Key } } : { Key };
    const expressed = expressions(parts, { ':v': v, ':w': w }, unused);
    return { operation, body: defined({ TableName, ReturnValues, ...what, ...expressed }) };
  });
const keyCondition = fc.constantFrom(
  'pk = :v',
  'pk = :v AND sk = :w',
  'pk = :v AND sk < :w',
  'pk = :v AND sk <= :w',
  'sk > :w AND pk = :v',
  'pk = :v AND sk >= :w',
  'pk = :v AND sk BETWEEN :w AND :w',
  'pk = :v AND sk BETWEEN :w AND :x',
  'sk BETWEEN :w AND :x AND pk = :v',
  'begins_with(sk, :w) AND pk = :v',
  'sk = :w',
  ':v = pk',
);
const limit = fc.constantFrom(undefined, undefined, 1, 2, 5, 100, 0, -1, 1.5);
const read = fc
  .tuple(fc.constantFrom('GetItem', 'Query', 'BatchGetItem'), key, key, keyCondition, pk, sk, sk, fc.boolean(), limit)
  .map(([operation, Key, other, KeyConditionExpression, v, w, x, forward, Limit]): Call => {
    if (operation === 'GetItem') return { operation, body: { TableName, Key, ConsistentRead: forward } };
    if (operation === 'BatchGetItem')
      return { operation, body: { RequestItems: { [TableName]: { Keys: [Key, other] } } } };
    const expressed = expressions({ KeyConditionExpression }, { ':v': v, ':w': w, ':x': x }, false);
    return { operation, body: defined({ TableName, ScanIndexForward: forward, Limit, ...expressed }) };
  });

test('valid or not, requests on a table with indexes and a number in its key are answered as dynalite answers them', async () => {
  const { ask, dynalite } = await pair({
    ...RUN_TABLE,
    TableName,
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'N' },
      { AttributeName: 'g', AttributeType: 'S' },
      { AttributeName: 'l', AttributeType: 'N' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byG',
        KeySchema: [
          { AttributeName: 'g', KeyType: 'HASH' },
          { AttributeName: 'l', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'byL',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'l', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(write, write, read), { minLength: 1, maxLength: 12 }), async (calls) => {
      for (const call of calls) await ask(call);
      count += calls.length;
      for (const IndexName of ['byG', 'byL']) await ask({ operation: 'Scan', body: { TableName, IndexName } });
    }),
    { numRuns: RUNS },
  );
  const direct = count + 2 * RUNS - dynalite.calls;
  expect(direct).toBeGreaterThan(0.05 * count);
});
