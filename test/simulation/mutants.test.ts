import { expect, test } from 'vitest';
import { findMutants, huntMutant } from './mutants.ts';
import { probe } from './probes.ts';

test('without a mutation the probes find nothing', async () => {
  expect(await probe((condition) => condition)).toBeUndefined();
});

/** Taking any clause out of any condition that the store writes under must break an invariant. */
test('every clause of every condition is needed', { timeout: 300_000 }, async () => {
  const mutants = await findMutants(400);
  expect(mutants.length).toBeGreaterThan(50);
  const survivors: string[] = [];
  for (const mutant of mutants) {
    if ((await huntMutant(mutant, 120)) === undefined) survivors.push(`${mutant.text} of ${mutant.write}`);
  }
  expect(survivors).toEqual([]);
});
