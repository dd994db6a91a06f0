import { type SweepDependencies, type SweepReport, sweep } from '../../lambdas/watchdog/sweep.ts';

/** A sweep from the place that the watch store has. */
export async function sweepOnce(
  dependencies: SweepDependencies,
  now: number,
  firingLatenessMs?: number,
): Promise<SweepReport> {
  return sweep(dependencies, await dependencies.watchStore.load(), now, firingLatenessMs);
}
