import type { WatchedJob } from '../../lib/domain/watch/due.ts';
import {
  DEPLOYMENT_MS,
  type EndedDefinition,
  planEpochs,
  planRosterChange,
} from '../../lib/domain/watch/plan-roster-change.ts';
import type { WatchStore } from '../../lib/domain/watch/ports.ts';
import type { WatchState } from '../../lib/domain/watch/watch-state.ts';
import { type WatchedManifest, watchJob } from './watched-manifest.ts';

interface RosterDependencies {
  readonly manifest: WatchedManifest;
  readonly watchStore: WatchStore;
}

/** Former names of new jobs that were gone already: the stack that had them was deployed before the one that has the new. */
async function endedLately(
  { manifest, watchStore }: RosterDependencies,
  { epochs }: WatchState,
  before: readonly WatchedJob[],
  now: number,
) {
  const known = new Set(before.map(({ entry }) => entry.name));
  const wanted = new Set(
    manifest.jobs.flatMap(({ entry: { name, renamedFrom } }) =>
      renamedFrom === undefined || known.has(name) || known.has(renamedFrom) ? [] : [renamedFrom],
    ),
  );
  const ended = new Map<string, EndedDefinition>();
  for (let index = epochs.length - 1; index > 0 && wanted.size > ended.size; index--) {
    const next = epochs[index];
    if (next === undefined || next.from <= now - DEPLOYMENT_MS) break;
    for (const entry of await watchStore.loadRoster(epochs[index - 1]?.roster ?? '')) {
      if (!wanted.has(entry.name) || ended.has(entry.name)) continue;
      ended.set(entry.name, { job: watchJob(entry), sweptAt: next.before });
    }
  }
  return [...ended.values()];
}

/** The new roster is saved before the state names it, the old ones go after: killed in between, nothing is lost. */
export async function rosterChange(dependencies: RosterDependencies, last: WatchState, now: number) {
  const { manifest, watchStore } = dependencies;
  const before = (await watchStore.loadRoster(last.epochs.at(-1)?.roster ?? '')).map((entry) => watchJob(entry));
  const { sweptAt, effectiveFrom } = last;
  const ended = await endedLately(dependencies, last, before, now);
  const change = planRosterChange(before, manifest.jobs, { sweptAt, now, effectiveFrom, ended });
  await saveRoster(watchStore, manifest);
  const { isNewEpoch } = change;
  return { ...change, epochs: planEpochs(last.epochs, manifest.digest, { sweptAt, now, isNewEpoch }) };
}

export function saveRoster(watchStore: WatchStore, { digest, jobs }: WatchedManifest): Promise<void> {
  return watchStore.saveRoster(
    digest,
    jobs.map(({ entry }) => entry),
  );
}
