import { openOccurrence, type WatchedJob } from './due.ts';
import type { Epoch, OpenOccurrence } from './watch-state.ts';

export interface RosterChange {
  /** Occurrences of the definitions that ended which may still have to start. */
  readonly open: readonly OpenOccurrence[];
  /** Jobs that are new or whose schedule changed: their occurrences count from this instant on. */
  readonly effectiveFrom: Readonly<Record<string, number>>;
  /** Whether any job came, went or changed when it is due. */
  readonly isNewEpoch: boolean;
}

/**
 * A deployment happened between two sweeps. Until the earlier sweep the old definitions held, from now on the new ones do;
 * in between only what both ask for is expected, because nobody can tell which of the two schedules was in force.
 */
export function planRosterChange(
  before: readonly WatchedJob[],
  after: readonly WatchedJob[],
  last: { readonly sweptAt: number; readonly now: number; readonly effectiveFrom: Readonly<Record<string, number>> },
): RosterChange {
  const { sweptAt, now } = last;
  const successors = new Map(after.map((job) => [job.entry.name, job]));
  const unchanged = new Set<string>();
  const open: OpenOccurrence[] = [];
  for (const job of before) {
    const successor = successors.get(job.entry.name);
    const from = Math.max(sweptAt - job.patienceMs, last.effectiveFrom[job.entry.name] ?? Number.NEGATIVE_INFINITY);
    if (successor?.entry.revision === job.entry.revision) {
      unchanged.add(job.entry.name);
      // With less patience the next window begins later: what the old patience still waited for must not fall between.
      const between = job.schedule.between(from, sweptAt - successor.patienceMs);
      open.push(...Array.from(between, (scheduledTime) => openOccurrence(job, scheduledTime)));
      continue;
    }
    for (const scheduledTime of job.schedule.between(from, now)) {
      const expected = scheduledTime <= sweptAt || (successor !== undefined && yields(successor, scheduledTime));
      if (expected) open.push(openOccurrence(job, scheduledTime));
    }
  }
  const begun = after.filter((job) => !unchanged.has(job.entry.name));
  return {
    open,
    effectiveFrom: Object.fromEntries(begun.map((job) => [job.entry.name, now])),
    isNewEpoch: begun.length > 0 || unchanged.size < before.length,
  };
}

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

function yields({ schedule }: WatchedJob, instant: number): boolean {
  return schedule.next(instant - 1) === instant;
}
