import { expect, test } from 'vitest';
import { Simulation } from './simulation.ts';

const SEEDS = 20_000;
const FROM = Number(process.env.BELFRY_SIMULATION_FROM ?? 1_000);

test(`the runtime and its store hold all invariants in ${SEEDS} simulated worlds`, { timeout: 900_000 }, async () => {
  for (let seed = FROM; seed < FROM + SEEDS; seed++) {
    const { violation, trace, profile } = await new Simulation(seed).run();
    expect(violation, `seed ${seed}, ${JSON.stringify(profile)}:\n${trace.join('\n')}`).toBeUndefined();
  }
});
