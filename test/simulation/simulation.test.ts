import { expect, test } from 'vitest';
import type { SimulationOptions } from './profile.ts';
import { Simulation } from './simulation.ts';

const SEEDS = 300;

test(`the runtime and its store hold all invariants in ${SEEDS} simulated worlds`, async () => {
  let steps = 0;
  const policies = new Set<string>();
  for (let seed = 0; seed < SEEDS; seed++) {
    const result = await new Simulation(seed).run();
    expect(result.violation, `seed ${seed}:\n${result.trace.join('\n')}`).toBeUndefined();
    steps += result.steps;
    policies.add(result.profile.overlap);
  }
  expect([...policies].sort()).toEqual(['allow', 'bufferOne', 'cancelOther', 'skip']);
  expect(steps).toBeGreaterThan(SEEDS * 20);
});

test('so do warm processes, which take turns that they have not read', async () => {
  const profile = { overlap: 'skip', inOrder: true, occurrences: 4, faults: 6 } as const;
  let unread = 0;
  for (let seed = 0; seed < SEEDS / 2; seed++) {
    const counting: NonNullable<SimulationOptions['mutate']> = (
      condition,
      { ConditionExpression, UpdateExpression },
    ) => {
      if (UpdateExpression?.includes(':holder') && ConditionExpression?.includes('#paused')) unread++;
      return condition;
    };
    const { violation, trace } = await new Simulation(seed, { profile, mutate: counting }).run();
    expect(violation, `seed ${seed}:\n${trace.join('\n')}`).toBeUndefined();
  }
  expect(unread).toBeGreaterThan(SEEDS / 4);
});

test('a seed replays byte for byte', async () => {
  for (const seed of [3, 77, 1_234]) {
    const [first, second] = [await new Simulation(seed).run(), await new Simulation(seed).run()];
    expect(second).toEqual(first);
    expect(second.trace.join('\n')).toBe(first.trace.join('\n'));
  }
});
