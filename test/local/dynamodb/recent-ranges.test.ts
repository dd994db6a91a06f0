import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DynaliteEngine } from '../../../lib/local/dynamodb/dynalite-engine.ts';
import { DynamoDbStore } from '../../../lib/local/dynamodb/dynamodb-store.ts';
import { RecentRanges } from '../../../lib/local/dynamodb/recent-ranges.ts';
import { createRunTable } from '../../support/dynamodb-server.ts';
import { eventually } from '../../support/eventually.ts';

const BOUNDS = { gte: 'b', lt: 'd' };
const put = (key: string) => ({ type: 'put', key, value: '{}' }) as const;
const del = (key: string) => ({ type: 'del', key }) as const;

function knowing(keys: readonly string[]): RecentRanges {
  const ranges = new RecentRanges();
  ranges.reading(BOUNDS)(keys);
  return ranges;
}

test('a range is known until a key comes or goes in it', () => {
  const ranges = knowing(['b', 'c']);
  ranges.written([put('b'), put('a'), put('d'), del('x'), del('bb')]);
  expect(ranges.get(BOUNDS)).toEqual(['b', 'c']);
  ranges.written([put('bb')]);
  expect(ranges.get(BOUNDS)).toBeUndefined();
});

test('and not after one was deleted', () => {
  const ranges = knowing(['b', 'c']);
  ranges.written([del('c')]);
  expect(ranges.get(BOUNDS)).toBeUndefined();
});

test('what was read while something was written is not kept', () => {
  const ranges = new RecentRanges();
  const tell = ranges.reading(BOUNDS);
  ranges.written([put('bb')]);
  tell(['b']);
  expect(ranges.get(BOUNDS)).toBeUndefined();
});

test('long ranges are not kept, nor more than some', () => {
  const ranges = new RecentRanges();
  ranges.reading(BOUNDS)(Array.from({ length: 21 }, (_, index) => `b${index}`));
  expect(ranges.get(BOUNDS)).toBeUndefined();
  for (let index = 0; index < 60; index++) ranges.reading({ gte: `${index}` })([]);
  expect(ranges.get({ gte: '0' })).toBeUndefined();
  expect(ranges.get({ gte: '59' })).toEqual([]);
});

/** Whatever is written in between, a range reads as what is there. */
test('ranges of a store read as what was written', async () => {
  const store = await DynamoDbStore.open();
  await new DynaliteEngine(store).call('CreateTable', { ...createRunTable('ranges').input });
  await eventually(async () => expect(store.table('ranges')).toBeDefined());
  const table = store.table('ranges');
  if (table === undefined) throw new Error('no table');
  const letter = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'ü');
  const action = fc.record({ letter, to: letter, write: fc.boolean(), gone: fc.boolean(), reverse: fc.boolean() });
  const there = new Map<string, string>();
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
      for (const { letter, to, write, gone, reverse } of actions) {
        const key = `item-ranges~${letter}`;
        if (write) {
          const json = `{"n":{"N":"${++serial}"}}`;
          const after = gone ? undefined : (JSON.parse(json) as { n: { N: string } });
          await store.write([{ table, key, before: undefined, after, json: gone ? undefined : json }]);
          if (gone) there.delete(key);
          else there.set(key, json);
        }
        const bounds = { gte: key, lte: `item-ranges~${to}` };
        const within = [...there].filter(([one]) => one >= bounds.gte && one <= bounds.lte).sort();
        const expected = within.map(([, json]) => json);
        expect(await store.range({ ...bounds, reverse })).toEqual(reverse ? expected.toReversed() : expected);
        expect(await store.range({ ...bounds, limit: 2 })).toEqual(expected.slice(0, 2));
      }
    }),
    { numRuns: 200 },
  );
});
