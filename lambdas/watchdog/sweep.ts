import type { WatchdogRunStore } from '../../lib/domain/ports.ts';
import { countLaterDue, dueOccurrences, type WatchedJob } from '../../lib/domain/watch/due.ts';
import { occurrenceId } from '../../lib/domain/watch/occurrence-key.ts';
import { planEpochs, planRosterChange } from '../../lib/domain/watch/plan-roster-change.ts';
import { planSweep, type SweepAction } from '../../lib/domain/watch/plan-sweep.ts';
import type { JobInvoker, WatchStore } from '../../lib/domain/watch/ports.ts';
import type { OpenOccurrence, WatchState } from '../../lib/domain/watch/watch-state.ts';
import { type WatchedManifest, watchJob } from './watched-manifest.ts';

export interface SweepDependencies {
  readonly manifest: WatchedManifest;
  readonly watchStore: WatchStore;
  readonly runStore: WatchdogRunStore;
  readonly invoker: JobInvoker;
}

export interface SweepReport {
  /** What was done, in order; an action that another watchdog or the run itself forestalled is not in it. */
  readonly done: readonly SweepAction[];
  /** Actions that failed, with the reason; they are tried again in the next sweep. */
  readonly failed: readonly { readonly action: SweepAction; readonly error: unknown }[];
  /** How many occurrences were looked at. */
  readonly examined: number;
  /** How far this sweep counted. Less than now only while catching up after an outage. */
  readonly sweptAt: number;
  /** False when another watchdog moved the state first: it did this work too. */
  readonly moved: boolean;
}

/** Records at a time: enough to be quick, few enough to stay within a small function's sockets. */
const CONCURRENCY = 16;

/**
 * One sweep: what was due since the last one is compared with the run records, and the plan carried out. It may be
 * interrupted anywhere and run twice at once: each action is conditional or goes through a claim, and the state moves last.
 */
export async function sweep(dependencies: SweepDependencies, now: number): Promise<SweepReport> {
  const { manifest, watchStore, runStore } = dependencies;
  const last = await watchStore.load();
  if (last === undefined) return begin(dependencies, now);

  const change =
    last.epochs.at(-1)?.roster === manifest.digest ? undefined : await rosterChange(dependencies, last, now);
  const effectiveFrom = { ...last.effectiveFrom, ...change?.effectiveFrom };
  const { due, until } = dueOccurrences(manifest.jobs, { from: last.sweptAt, until: now, effectiveFrom });
  const occurrences = unique([...last.open, ...(change?.open ?? []), ...due]);
  const found = occurrences.length === 0 ? [] : await runStore.getRuns(occurrences);
  const runs = new Map(found.map((run) => [occurrenceId(run), run]));
  const declared = new Map(manifest.jobs.map((job) => [job.entry.name, job]));
  const plan = planSweep({
    now,
    occurrences,
    runs,
    catchUpOf: (job) => declared.get(job)?.entry.catchUp,
    laterDue: ({ job, scheduledTime }, limit) => {
      const watched = declared.get(job);
      return watched === undefined ? limit : countLaterDue(watched, scheduledTime, now, limit);
    },
  });

  const { done, failed } = await act(dependencies, plan.actions, now);
  const retried = failed.filter(({ action }) => action.type === 'recordMissed').map(({ action }) => idOf(action));
  const open = unique([...plan.open, ...occurrences.filter((one) => retried.includes(occurrenceId(one)))]);
  const epochs = change?.epochs ?? last.epochs;
  const moved = await watchStore.save({
    sweptAt: until,
    epochs,
    open,
    effectiveFrom: stillYoung(effectiveFrom, manifest.jobs, until),
    version: last.version + 1,
  });
  if (change !== undefined && moved) await watchStore.keepRosters(epochs.map(({ roster }) => roster));
  return { done, failed, examined: occurrences.length, sweptAt: until, moved };
}

/** The first sweep ever: nothing was promised before it, so it only takes its place. */
async function begin({ manifest, watchStore }: SweepDependencies, now: number): Promise<SweepReport> {
  await saveRoster(watchStore, manifest);
  const effectiveFrom = Object.fromEntries(manifest.jobs.map(({ entry }) => [entry.name, now]));
  const moved = await watchStore.save({
    sweptAt: now,
    epochs: planEpochs([], manifest.digest, { sweptAt: now, now, isNewEpoch: true }),
    open: [],
    effectiveFrom,
    version: 1,
  });
  return { done: [], failed: [], examined: 0, sweptAt: now, moved };
}

/** The new roster is saved before the state names it, the old ones go after: killed in between, nothing is lost. */
async function rosterChange({ manifest, watchStore }: SweepDependencies, last: WatchState, now: number) {
  const before = (await watchStore.loadRoster(last.epochs.at(-1)?.roster ?? '')).map(watchJob);
  const { sweptAt, effectiveFrom } = last;
  const change = planRosterChange(before, manifest.jobs, { sweptAt, now, effectiveFrom });
  await saveRoster(watchStore, manifest);
  const { isNewEpoch } = change;
  return { ...change, epochs: planEpochs(last.epochs, manifest.digest, { sweptAt, now, isNewEpoch }) };
}

function saveRoster(watchStore: WatchStore, { digest, jobs }: WatchedManifest): Promise<void> {
  return watchStore.saveRoster(
    digest,
    jobs.map(({ entry }) => entry),
  );
}

async function act({ runStore, invoker }: SweepDependencies, actions: readonly SweepAction[], now: number) {
  const done: SweepAction[] = [];
  const failed: { action: SweepAction; error: unknown }[] = [];
  const perform = async (action: SweepAction): Promise<boolean> => {
    switch (action.type) {
      case 'recordMissed':
        return runStore.recordMissed(action.key, action.cause, now);
      case 'closeExhausted':
        return runStore.closeExhausted(action.run, now);
      case 'catchUp':
        await invoker.deliver({ ...action.key, trigger: 'catchUp' });
        return true;
      case 'redeliver':
        await invoker.deliver({ ...action.key, trigger: action.trigger });
        return true;
    }
  };
  for (let start = 0; start < actions.length; start += CONCURRENCY) {
    await Promise.all(
      actions.slice(start, start + CONCURRENCY).map(async (action) => {
        try {
          if (await perform(action)) done.push(action);
        } catch (error) {
          failed.push({ action, error });
        }
      }),
    );
  }
  return { done, failed };
}

function idOf(action: SweepAction): string {
  return occurrenceId(action.type === 'closeExhausted' ? action.run : action.key);
}

function unique(occurrences: readonly OpenOccurrence[]): OpenOccurrence[] {
  return [...new Map(occurrences.map((one) => [occurrenceId(one), one])).values()];
}

/** A definition stays marked as young until the window of the next sweep begins after it. */
function stillYoung(
  effectiveFrom: Readonly<Record<string, number>>,
  jobs: readonly WatchedJob[],
  sweptAt: number,
): Record<string, number> {
  const declared = new Map(jobs.map((job) => [job.entry.name, job.patienceMs]));
  return Object.fromEntries(
    Object.entries(effectiveFrom).filter(([name, since]) => since > sweptAt - (declared.get(name) ?? 0)),
  );
}
