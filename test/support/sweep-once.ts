import { Foresight } from '../../lambdas/watchdog/foresight.ts';
import { type SweepDependencies, type SweepReport, sweep } from '../../lambdas/watchdog/sweep.ts';
import type { TimingMemory } from '../../lambdas/watchdog/timing-memory.ts';

/** What each watchdog process foresees: one process has one memory of averages. */
const foresights = new WeakMap<TimingMemory, Foresight>();

/** A sweep from the place that the watch store has, in the same process as the last one with these averages. */
export async function sweepOnce(
  dependencies: SweepDependencies,
  now: number,
  firingLatenessMs?: number,
): Promise<SweepReport> {
  const { timings, runStore, manifest, watchStore } = dependencies;
  const foresight = foresights.get(timings) ?? new Foresight();
  foresights.set(timings, foresight);
  const runs = foresight.runsAt(now, runStore);
  const report = await sweep({ ...dependencies, runs }, await watchStore.load(), now, firingLatenessMs);
  foresight.remember(report.state, manifest);
  return report;
}
