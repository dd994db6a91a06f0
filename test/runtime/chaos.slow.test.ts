import { expect, test } from 'vitest';
import { chaos } from './chaos.ts';

test('2,000 occurrences under fire: one outcome each, each effect once', { timeout: 900_000 }, async () => {
  const result = await chaos(2_000, 1);
  expect(result.failures).toEqual([]);
  expect(result.passed).toBe(2_000);
  expect(result.kills).toBeGreaterThan(20);
  expect(result.repeated).toBeGreaterThan(5);
});
