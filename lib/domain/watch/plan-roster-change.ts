import { openOccurrence, type WatchedJob } from './due.ts';
import type { OpenOccurrence } from './watch-state.ts';

export interface RosterChange {
  /** Occurrences of the definitions that ended which may still have to start. */
  readonly open: readonly OpenOccurrence[];
  /** Jobs that are new or whose schedule changed: their occurrences count from this instant on. */
  readonly effectiveFrom: Readonly<Record<string, number>>;
}

/**
 * A deployment happened between two sweeps. Until the earlier sweep the old definitions held, from now on the new ones do;
 * in between only what both ask for is expected, because nobody can tell which of the two schedules was in force.
 */
export function planRosterChange(
  before: readonly WatchedJob[],
  after: readonly WatchedJob[],
  { sweptAt, now }: { readonly sweptAt: number; readonly now: number },
): RosterChange {
  const successors = new Map(after.map((job) => [job.entry.name, job]));
  const unchanged = new Set<string>();
  const open: OpenOccurrence[] = [];
  for (const job of before) {
    const successor = successors.get(job.entry.name);
    if (successor?.entry.revision === job.entry.revision) {
      unchanged.add(job.entry.name);
      // With less patience the next window begins later: what the old patience still waited for must not fall between.
      const between = job.schedule.between(sweptAt - job.patienceMs, sweptAt - successor.patienceMs);
      open.push(...Array.from(between, (scheduledTime) => openOccurrence(job, scheduledTime)));
      continue;
    }
    for (const scheduledTime of job.schedule.between(sweptAt - job.patienceMs, now)) {
      const expected = scheduledTime <= sweptAt || (successor !== undefined && yields(successor, scheduledTime));
      if (expected) open.push(openOccurrence(job, scheduledTime));
    }
  }
  const effectiveFrom = Object.fromEntries(
    after.filter((job) => !unchanged.has(job.entry.name)).map((job) => [job.entry.name, now]),
  );
  return { open, effectiveFrom };
}

function yields({ schedule }: WatchedJob, instant: number): boolean {
  return schedule.next(instant - 1) === instant;
}
