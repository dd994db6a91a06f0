import type { DynaliteLevel, LevelIterator } from 'dynalite/db/index.js';
import { beforeEach, expect, test } from 'vitest';
import { DirectEngine } from '../../../lib/local/dynamodb/direct/direct-engine.ts';
import { DynaliteEngine } from '../../../lib/local/dynamodb/dynalite-engine.ts';
import { DynamoDbStore } from '../../../lib/local/dynamodb/dynamodb-store.ts';
import type { Body } from '../../../lib/local/dynamodb/front-types.ts';
import { createRunTable } from '../../support/dynamodb-server.ts';
import { eventually } from '../../support/eventually.ts';

const TableName = 'ranges';
let store: DynamoDbStore;
let dynalite: DynaliteEngine;
/** What dynalite was asked for. */
let asked: string[];

beforeEach(async () => {
  store = await DynamoDbStore.open();
  dynalite = new DynaliteEngine(store);
  await dynalite.call('CreateTable', { ...createRunTable(TableName).input });
  await eventually(async () => expect(store.table(TableName)).toBeDefined());
  for (const sk of ['a', 'b', 'c', 'd'])
    await dynalite.call('PutItem', { TableName, Item: { pk: { S: 'p' }, sk: { S: sk } } });
  asked = [];
  const call = dynalite.call.bind(dynalite);
  dynalite.call = (operation, body) => {
    asked.push(operation);
    return call(operation, body);
  };
});

function between(from: string, to: string, more: Body = {}): Body {
  return {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': { S: 'p' }, ':from': { S: from }, ':to': { S: to } },
    ...more,
  };
}

test('a range of keys is read directly once its form is known, and judged by its ends each time', async () => {
  const engine = new DirectEngine(store, dynalite);
  const keys = async (body: Body) => {
    const answer = await engine.call('Query', body);
    const items = answer.body.Items as { readonly sk: { readonly S: string } }[] | undefined;
    return items?.map(({ sk }) => sk.S).join('') ?? answer.body.message;
  };
  expect(await keys(between('b', 'c'))).toBe('bc');
  expect(asked.splice(0)).toEqual(['Query']);
  expect(await keys(between('a', 'c'))).toBe('abc');
  expect(await keys(between('b', 'b'))).toBe('b');
  expect(await keys(between('x', 'z'))).toBe('');
  expect(asked).toEqual([]);
  expect(await keys(between('c', 'b'))).toMatch(/upper bound/);
  expect(asked).toEqual(['Query']);
});

test('so is one with a limit, unless the limit is reached', async () => {
  const engine = new DirectEngine(store, dynalite);
  await engine.call('Query', between('a', 'd', { Limit: 100 }));
  asked.length = 0;
  expect((await engine.call('Query', between('a', 'd', { Limit: 5 }))).body).toMatchObject({ Count: 4 });
  expect(asked).toEqual([]);
  expect((await engine.call('Query', between('a', 'd', { Limit: 4 }))).body).toHaveProperty('LastEvaluatedKey');
  expect((await engine.call('Query', between('a', 'd', { Limit: 2 }))).body).toMatchObject({ Count: 2 });
  expect(asked).toEqual(['Query', 'Query']);
});

test.each([
  ['Query', between('a', 'd', { ReturnConsumedCapacity: 'TOTAL' })],
  ['Query', between('a', 'd', { Limit: 1 })],
  ['Scan', { TableName }],
  ['ListTables', {}],
])('%s leaves nothing open of what it reads with', async (operation, body) => {
  const level = store.forDynalite.db;
  const open = new Set<unknown>();
  const watched = <Name extends 'keys' | 'values'>(name: Name) => {
    const make = level[name].bind(level) as (range?: object) => LevelIterator<unknown>;
    level[name] = ((range?: object) => {
      const iterator = make(range);
      open.add(iterator);
      const close = iterator.close.bind(iterator);
      iterator.close = () => {
        open.delete(iterator);
        return close();
      };
      return iterator;
    }) as DynaliteLevel[Name];
  };
  watched('keys');
  watched('values');
  let most = 0;
  const add = open.add.bind(open);
  open.add = (one) => {
    most++;
    return add(one);
  };
  expect((await dynalite.call(operation, body)).status).toBe(200);
  expect(most).toBeGreaterThan(0);
  await eventually(async () => expect(open.size).toBe(0));
});
