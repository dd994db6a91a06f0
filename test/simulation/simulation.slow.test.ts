import { expect, test } from 'vitest';
import { Simulation } from './simulation.ts';

const SEEDS = 20_000;
const FROM = Number(process.env.BELFRY_SIMULATION_FROM ?? 1_000);

test(`the runtime and its store hold all invariants in ${SEEDS} simulated worlds`, { timeout: 900_000 }, async () => {
  for (let seed = FROM; seed < FROM + SEEDS; seed++) {
    // In every fourth world warm processes take turns that they have not read.
    const options = seed % 4 === 0 ? { profile: { overlap: 'skip', inOrder: true, occurrences: 4 } as const } : {};
    const { violation, trace, profile } = await new Simulation(seed, options).run();
    expect(violation, `seed ${seed}, ${JSON.stringify(profile)}:\n${trace.join('\n')}`).toBeUndefined();
  }
});
