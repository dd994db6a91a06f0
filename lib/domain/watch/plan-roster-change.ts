import { occurrenceId } from '../contract/occurrence-key.ts';
import { occurrencesBetween, type WatchedJob } from './due.ts';
import type { Epoch, OpenOccurrence } from './watch-state.ts';

export interface RosterChange {
  /**
   * Occurrences of the definitions that ended which may still have to start, and all that may have been fired while
   * nobody could tell which definition held.
   */
  readonly open: readonly OpenOccurrence[];
  /** Jobs that are new or whose schedule changed: their occurrences count from this instant on. */
  readonly effectiveFrom: Readonly<Record<string, number>>;
  /** Jobs that were renamed: the new name by the former one. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Whether any job came, went or changed when it is due. */
  readonly isNewEpoch: boolean;
}

/** A definition that is no more. */
export interface EndedDefinition {
  readonly job: WatchedJob;
  /** Up to here its occurrences counted. Epoch milliseconds. */
  readonly sweptAt: number;
}

/**
 * A deployment happened between two sweeps. Until the earlier sweep the old definitions held, from now on the new ones do;
 * in between only what both ask for is expected, because nobody can tell which of the two schedules was in force.
 * What a job owes under its former name passes to the new one, because only that has a function now. The two may be in
 * different stacks, either of which may be deployed first: there are sweeps that know both names, or neither.
 *
 * @param last.ended former names of new jobs that were gone before, at the most for as long as a deployment takes
 */
export function planRosterChange(
  before: readonly WatchedJob[],
  after: readonly WatchedJob[],
  last: {
    readonly sweptAt: number;
    readonly now: number;
    readonly effectiveFrom: Readonly<Record<string, number>>;
    readonly ended?: readonly EndedDefinition[];
  },
): RosterChange {
  const { sweptAt, now } = last;
  const declared = new Map(after.map((job) => [job.entry.name, job]));
  const heirs = new Map(
    after.flatMap((job) => (job.entry.renamedFrom === undefined ? [] : [[job.entry.renamedFrom, job]])),
  );
  const unchanged = new Set<string>();
  const renamed: Record<string, string> = {};
  const open: OpenOccurrence[] = [];
  for (const job of before) {
    const { name, revision } = job.entry;
    const same = declared.get(name);
    const successor = same ?? heirs.get(name);
    const from = Math.max(sweptAt - job.patienceMs, last.effectiveFrom[name] ?? Number.NEGATIVE_INFINITY);
    if (same?.entry.revision === revision) {
      unchanged.add(name);
      // With less patience the next window begins later: what the old patience still waited for must not fall between.
      open.push(...occurrencesBetween(job, from, sweptAt - same.patienceMs));
      continue;
    }
    const isRenamed = same === undefined && successor !== undefined;
    if (isRenamed) renamed[name] = successor.entry.name;
    for (const one of occurrencesBetween(job, from, now)) {
      const isOwed = one.scheduledTime <= sweptAt || (successor !== undefined && yields(successor, one.scheduledTime));
      if (!isOwed) open.push({ ...one, adopted: true });
      else open.push(isRenamed ? { ...one, job: successor.entry.name, formerName: name } : one);
    }
  }
  for (const { job, sweptAt: endedAt } of last.ended ?? []) {
    const { name } = job.entry;
    const heir = heirs.get(name);
    if (heir === undefined || declared.has(name)) continue;
    renamed[name] = heir.entry.name;
    for (const one of occurrencesBetween(job, endedAt, now)) {
      if (yields(heir, one.scheduledTime)) open.push({ ...one, job: heir.entry.name, formerName: name });
    }
  }
  const begun = after.filter((job) => !unchanged.has(job.entry.name));
  const owed = new Set(open.map(occurrenceId));
  const firedBefore = adoptable(begun, sweptAt, now).filter((one) => !owed.has(occurrenceId(one)));
  return {
    open: [...open, ...firedBefore],
    effectiveFrom: Object.fromEntries(begun.map((job) => [job.entry.name, now])),
    renamed,
    isNewEpoch: begun.length > 0 || unchanged.size < before.length,
  };
}

/**
 * Schedules are deployed before the watchdog that knows them: what they may have fired by now. Nothing of it is promised,
 * but a run that began is looked after like any other.
 */
export function adoptable(begun: readonly WatchedJob[], sweptAt: number, now: number): readonly OpenOccurrence[] {
  const found = begun.flatMap((job) => {
    let from = now + 1;
    for (let count = 0; count < MOST_ADOPTED_OF_A_JOB; count++) {
      const earlier = job.schedule.previous(from);
      if (earlier === undefined || earlier <= sweptAt - DEPLOYMENT_MS) break;
      from = earlier;
    }
    return Array.from(occurrencesBetween(job, from - 1, now), (one) => ({ ...one, adopted: true }) as const);
  });
  if (found.length <= MOST_ADOPTED) return found;
  return found.sort((a, b) => b.scheduledTime - a.scheduledTime).slice(0, MOST_ADOPTED);
}

/** Not all of the past is looked at, but the newest of it: what began long ago has had its retries. */
const MOST_ADOPTED_OF_A_JOB = 100;
const MOST_ADOPTED = 5_000;

/** The most time that is granted to a deployment, from the first schedule it changes to the watchdog. */
export const DEPLOYMENT_MS = 3_600_000;

/** Epochs that began longer ago than run records are kept are of no use to anybody. */
const KEEP_EPOCHS_MS = 92 * 86_400_000;
const MOST_EPOCHS = 200;

/**
 * The epochs once the definitions under `roster` are in force. Where nothing changed that decides when a job is due, the
 * last epoch goes on under its new digest.
 */
export function planEpochs(
  epochs: readonly Epoch[],
  roster: string,
  { sweptAt, now, isNewEpoch }: { readonly sweptAt: number; readonly now: number; readonly isNewEpoch: boolean },
): readonly Epoch[] {
  const last = epochs.at(-1);
  if (last === undefined) return [{ roster, from: now, before: now }];
  if (!isNewEpoch) return [...epochs.slice(0, -1), { ...last, roster }];
  // An epoch is over when the next one begins.
  const recent = epochs.filter((_, index) => (epochs[index + 1]?.from ?? now) > now - KEEP_EPOCHS_MS);
  return [...recent.slice(1 - MOST_EPOCHS), { roster, from: now, before: sweptAt }];
}

function yields({ schedule, clockChanges }: WatchedJob, instant: number): boolean {
  return schedule.next(instant - 1) === instant || clockChanges.gaps(instant - 1, instant).length > 0;
}
