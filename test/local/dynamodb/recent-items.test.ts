import { expect, it } from 'vitest';
import { RecentItems } from '../../../lib/local/dynamodb/recent-items.ts';

it('keeps what was used last, and not without bound', () => {
  const recent = new RecentItems();
  for (let index = 0; index < 10_000; index++) {
    recent.set(`key ${index}`, `{"n":${index}}`);
    expect(recent.get('key 0')).toBe('{"n":0}');
  }
  const kept = Array.from({ length: 10_000 }, (_, index) => recent.get(`key ${index}`)).filter(Boolean);
  expect(kept.length).toBeLessThan(1_000);
  expect(kept.at(-1)).toBe('{"n":9999}');
});

it('forgets an item that has become too large to be kept', () => {
  const recent = new RecentItems();
  recent.set('key', 'small');
  recent.set('key', 'x'.repeat(1024 * 1024));
  expect(recent.get('key')).toBeUndefined();
});
