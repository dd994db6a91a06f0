import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { DynaliteEngine } from '../../../lib/local/dynamodb/dynalite-engine.ts';
import { DynamoDbStore } from '../../../lib/local/dynamodb/dynamodb-store.ts';
import {
  addNumbers,
  compareNumbers,
  type Item,
  normalized,
} from '../../../lib/local/dynamodb/expression/attribute-value.ts';
import { holds, parseCondition } from '../../../lib/local/dynamodb/expression/condition.ts';
import { Placeholders } from '../../../lib/local/dynamodb/expression/tokens.ts';
import { applyUpdate, parseUpdate } from '../../../lib/local/dynamodb/expression/update.ts';
import { createRunTable } from '../../support/dynamodb-server.ts';

const engine = new DynaliteEngine(await DynamoDbStore.open());
const call = (operation: string, body: object) => engine.call(operation, { ...body });

beforeAll(async () => {
  await call('CreateTable', createRunTable('peer').input);
  await vi.waitUntil(
    async () => JSON.stringify((await call('DescribeTable', { TableName: 'peer' })).body).includes('ACTIVE'),
    { timeout: 30_000 },
  );
});

const KEY = { pk: { S: 'p' }, sk: { S: 's' } };
const NAMES = { '#a': 'a', '#b': 'b', '#n': 'n', '#l': 'l', '#m': 'm', '#s': 's1' };
const VALUES: Item = {
  ':one': { N: '1' },
  ':two': { N: '2' },
  ':x': { S: 'x' },
  ':xy': { S: 'xy' },
  ':type': { S: 'S' },
  ':list': { L: [{ N: '1' }] },
};

const scalar = fc.constantFrom(
  { N: '1' },
  { N: '2' },
  { N: '-3.5' },
  { S: 'x' },
  { S: 'xyz' },
  { BOOL: true },
  { NULL: true },
);
const item = fc.record(
  {
    a: scalar,
    b: scalar,
    n: fc.constantFrom({ N: '0' }, { N: '10' }, { N: '0.25' }),
    l: fc.array(scalar, { maxLength: 3 }).map((L) => ({ L })),
    m: fc.record({ k: scalar }, { requiredKeys: [] }).map((M) => ({ M })),
    s1: fc.constantFrom({ SS: ['x', 'y'] }, { SS: ['z'] }),
  },
  { requiredKeys: [] },
);

const path = fc.constantFrom('#a', '#b', '#n', '#l', '#m', '#m.k', '#l[0]', '#s');
const value = fc.constantFrom(':one', ':two', ':x', ':xy');
const leaf = fc.oneof(
  path.map((p) => `attribute_exists(${p})`),
  path.map((p) => `attribute_not_exists(${p})`),
  path.map((p) => `attribute_type(${p}, :type)`),
  fc.tuple(path, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), value).map((parts) => parts.join(' ')),
  path.map((p) => `${p} BETWEEN :one AND :two`),
  path.map((p) => `${p} IN (:one, :x)`),
  path.map((p) => `contains(${p}, :x)`),
  fc.constantFrom('#a', '#b', '#m.k').map((p) => `begins_with(${p}, :x)`),
  path.map((p) => `size(${p}) > :one`),
);
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.tuple(tie('condition'), tie('condition')).map(([left, right]) => `(${left}) AND (${right})`),
    fc.tuple(tie('condition'), tie('condition')).map(([left, right]) => `${left} OR ${right}`),
    tie('condition').map((term) => `NOT (${term})`),
  ),
}));

const used = (text: string, all: object) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => new RegExp(`${name}\\b`).test(text)));
const parts = (text: string) => ({
  ...(text.includes('#') ? { ExpressionAttributeNames: used(text, NAMES) } : {}),
  ...(text.includes(':') ? { ExpressionAttributeValues: used(text, VALUES) } : {}),
});

describe('the expressions, beside dynalite', () => {
  test('conditions are judged alike', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(item, condition, async (attributes, text) => {
        const stored = await call('PutItem', { TableName: 'peer', Item: { ...KEY, ...attributes } });
        expect(stored.status, JSON.stringify(stored.body)).toBe(200);
        const peer = await call('PutItem', { TableName: 'peer', Item: KEY, ConditionExpression: text, ...parts(text) });
        const type = String(peer.body.__type ?? '');
        if (type.endsWith('#ValidationException')) return;
        compared++;
        const ours = holds(parseCondition(text, new Placeholders(NAMES, VALUES)), { ...KEY, ...attributes });
        expect(ours, text).toBe(peer.status === 200);
      }),
      { numRuns: 400 },
    );
    expect(compared).toBeGreaterThan(200);
  });

  test.each([
    'SET #a = :x',
    'SET #a = #b, #b = #a',
    'SET #n = #n + :one, #a = if_not_exists(#a, :xy)',
    'SET #n = if_not_exists(#n, :one) - :two',
    'SET #l = list_append(#l, :list), #m.k = :one REMOVE #b',
    'SET #l[1] = :x REMOVE #a, #s',
    'ADD #n :two',
  ])('%s leaves the same item', async (text) => {
    const Item = {
      ...KEY,
      a: { S: 'old a' },
      b: { N: '4' },
      n: { N: '0.1' },
      l: { L: [{ S: 'first' }, { S: 'second' }] },
      m: { M: { k: { S: 'v' }, other: { N: '1' } } },
      s1: { SS: ['x', 'y'] },
    };
    await call('PutItem', { TableName: 'peer', Item });
    const peer = await call('UpdateItem', {
      TableName: 'peer',
      Key: KEY,
      UpdateExpression: text,
      ...parts(text),
      ReturnValues: 'ALL_NEW',
    });
    expect(peer.status, JSON.stringify(peer.body)).toBe(200);
    expect(applyUpdate(parseUpdate(text, new Placeholders(NAMES, VALUES)), Item)).toEqual(peer.body.Attributes);
  });

  test('sets grow and shrink', () => {
    const placeholders = new Placeholders({}, { ':s': { SS: ['b', 'c'] } });
    const base: Item = { tags: { SS: ['a', 'b'] } };
    expect(applyUpdate(parseUpdate('ADD tags :s', placeholders), base)).toEqual({ tags: { SS: ['a', 'b', 'c'] } });
    expect(applyUpdate(parseUpdate('DELETE tags :s', placeholders), base)).toEqual({ tags: { SS: ['a'] } });
  });

  test('overlapping paths are refused', () => {
    expect(() => parseUpdate('SET a.b = :v REMOVE a', new Placeholders({}, { ':v': { N: '1' } }))).toThrow(/overlap/);
  });
});

test('numbers keep all their digits', () => {
  expect(addNumbers('0.1', '0.2', 1)).toBe('0.3');
  expect(addNumbers('12345678901234567890123456789012345678', '1', 1)).toBe('12345678901234567890123456789012345679');
  expect(addNumbers('1e3', '1', -1)).toBe('999');
  expect(normalized('-0.500')).toBe('-0.5');
  expect(normalized('100')).toBe('100');
  expect(compareNumbers('2', '2')).toBe(0);
  expect(compareNumbers('-10', '9')).toBe(-1);
});
