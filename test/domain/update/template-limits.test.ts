import { expect, test } from 'vitest';
import { exceededLimits, sizeOfTemplate } from '../../../lib/domain/update/template-limits.ts';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`R${index}`, {}]));

test('a template is measured as it is uploaded, in bytes', () => {
  expect(sizeOfTemplate({ Resources: { A: {}, B: {} }, Outputs: { C: {} } }, '{"ü":1}')).toEqual({
    resources: 2,
    outputs: 1,
    bytes: 8,
  });
  expect(sizeOfTemplate({})).toEqual({ resources: 0, outputs: 0, bytes: 2 });
});

test('what is at a limit passes, what is above does not', () => {
  const { Resources, Outputs } = { Resources: many(500), Outputs: many(200) };
  expect(exceededLimits(sizeOfTemplate({ Resources, Outputs }, 'x'.repeat(1_000_000)))).toEqual([]);
  const above = sizeOfTemplate({ Resources: many(501), Outputs: many(201) }, 'x'.repeat(1_000_001));
  expect(exceededLimits(above)).toEqual([
    { limit: 'resources', size: 501, allowed: 500 },
    { limit: 'outputs', size: 201, allowed: 200 },
    { limit: 'bytes', size: 1_000_001, allowed: 1_000_000 },
  ]);
});
