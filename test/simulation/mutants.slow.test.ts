import { beforeAll, expect, test } from 'vitest';
import { findMutants, huntMutant, type Mutant } from './mutants.ts';

let mutants: Mutant[] = [];

beforeAll(async () => {
  mutants = await findMutants(600);
});

/** Taking any clause out of any condition that the store writes under must break an invariant. */
test('every clause of every condition is needed', { timeout: 1_200_000 }, async () => {
  expect(mutants.length).toBeGreaterThan(40);
  const survivors: Mutant[] = [];
  for (const mutant of mutants) if ((await huntMutant(mutant, 400)) === undefined) survivors.push(mutant);
  expect(survivors).toEqual([]);
});
