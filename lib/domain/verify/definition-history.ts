import type { Epoch, RosterEntry } from '../watch/watch-state.ts';

/** A stretch of time in which a job's occurrences are asked for by the same definitions. Epoch milliseconds. */
export interface DefinitionSpan {
  /** Exclusive. */
  readonly from: number;
  /** Inclusive. Infinity while it lasts. */
  readonly until: number;
  /** One; or two around a deployment, where only what both ask for is expected. */
  readonly definitions: readonly RosterEntry[];
}

/** All that a job was, as far as it is known. */
export interface JobHistory {
  readonly job: string;
  /** In order, apart from each other. */
  readonly spans: readonly DefinitionSpan[];
  /** Around deployments that brought, changed or removed the job: rows of any of its definitions are as they should be. */
  readonly unsure: readonly { readonly from: number; readonly until: number }[];
  /** What the job is called now: an occurrence that was open while it was renamed may have its run there. */
  readonly heir?: string;
}

/** The most time that is granted to a deployment, from the first schedule it changes to the watchdog, and back. */
const DEPLOYMENT_MS = 3_600_000;

/** @param rosterOf the definitions under a digest */
export function definitionHistory(
  epochs: readonly Epoch[],
  rosterOf: (digest: string) => readonly RosterEntry[],
): readonly JobHistory[] {
  const spans = new Map<string, DefinitionSpan[]>();
  const heirs = new Map<string, string>();
  const add = (job: string, span: DefinitionSpan) => spans.set(job, [...(spans.get(job) ?? []), span]);
  const unsure = new Map<string, { from: number; until: number }[]>();
  /** Definitions that ended, as long as a deployment may still bring what continues them. */
  const ended = new Map<string, { readonly entry: RosterEntry; readonly epoch: Epoch }>();
  let before: readonly RosterEntry[] = [];
  for (const [index, epoch] of epochs.entries()) {
    const roster = rosterOf(epoch.roster);
    const earlier = new Map(before.map((entry) => [entry.name, entry]));
    const until = epochs[index + 1]?.before ?? Number.POSITIVE_INFINITY;
    const changed = changedNames(before, roster);
    for (const job of changed) {
      const around = { from: epoch.before - DEPLOYMENT_MS, until: epoch.from + DEPLOYMENT_MS };
      unsure.set(job, [...(unsure.get(job) ?? []), around]);
    }
    const names = new Set(roster.map(({ name }) => name));
    for (const entry of before) if (!names.has(entry.name)) ended.set(entry.name, { entry, epoch });
    for (const entry of roster) {
      const old = earlier.get(entry.name);
      const { renamedFrom = '' } = entry;
      const gone = names.has(renamedFrom) ? undefined : lately(ended.get(renamedFrom), epoch);
      if (gone !== undefined) heirs.set(renamedFrom, entry.name);
      const former = old === undefined ? (gone?.entry ?? earlier.get(renamedFrom)) : undefined;
      const last = spans.get(entry.name)?.at(-1);
      if (old !== undefined && last !== undefined && old.revision === entry.revision) {
        spans.set(entry.name, [
          ...(spans.get(entry.name) ?? []).slice(0, -1),
          { ...last, until, definitions: [entry] },
        ]);
        continue;
      }
      const predecessor = old ?? former;
      if (predecessor !== undefined) {
        // What was known before has its span up to this epoch; a new name goes on where the former one ended.
        const { before: begin } = old === undefined ? (gone?.epoch ?? epoch) : epoch;
        add(entry.name, { from: begin, until: epoch.from, definitions: [predecessor, entry] });
      }
      add(entry.name, { from: epoch.from, until, definitions: [entry] });
    }
    before = roster;
  }
  return [...spans].map(([job, list]) => ({
    job,
    spans: list.filter(({ from, until }) => from < until),
    unsure: unsure.get(job) ?? [],
    ...(heirs.has(job) ? { heir: heirs.get(job) ?? '' } : {}),
  }));
}

/** What ended with this epoch, or with one so short before that the same deployment may have brought both. */
function lately<T extends { readonly epoch: Epoch }>(ended: T | undefined, epoch: Epoch): T | undefined {
  return ended !== undefined && epoch.from - ended.epoch.from <= DEPLOYMENT_MS ? ended : undefined;
}

function changedNames(before: readonly RosterEntry[], after: readonly RosterEntry[]): readonly string[] {
  const earlier = new Map(before.map(({ name, revision }) => [name, revision]));
  const later = new Map(after.map(({ name, revision }) => [name, revision]));
  return [...new Set([...earlier.keys(), ...later.keys()])].filter((name) => earlier.get(name) !== later.get(name));
}
