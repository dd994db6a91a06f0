import { type OccurrenceKey, occurrenceId } from '../../lib/domain/contract/occurrence-key.ts';
import type { WatchdogRunStore } from '../../lib/domain/ports.ts';
import { adoptRequested } from '../../lib/domain/watch/adopt-requested.ts';
import { dueOccurrences, type WatchedJob } from '../../lib/domain/watch/due.ts';
import type { Incident, JobSignal } from '../../lib/domain/watch/incident.ts';
import type { JobState } from '../../lib/domain/watch/job-state.ts';
import { planAudits } from '../../lib/domain/watch/plan-audit.ts';
import { planClockChanges } from '../../lib/domain/watch/plan-clock-changes.ts';
import { adoptable, planEpochs } from '../../lib/domain/watch/plan-roster-change.ts';
import { jobsInQuestion, planSweep, type SweepAction } from '../../lib/domain/watch/plan-sweep.ts';
import { planTelling, signalsOf, silenceBefore, withNews } from '../../lib/domain/watch/plan-telling.ts';
import type { TimingFinding } from '../../lib/domain/watch/plan-timing.ts';
import type {
  AuditSource,
  EvidenceSource,
  JobInvoker,
  JobStateStore,
  WatchPlace,
  WatchStore,
} from '../../lib/domain/watch/ports.ts';
import type { OpenOccurrence, WatchState } from '../../lib/domain/watch/watch-state.ts';
import { act, slice } from './act.ts';
import { carryOutAudits } from './carry-out-audits.ts';
import { diagnose } from './diagnose.ts';
import { bothNames, type RunReader } from './foresight.ts';
import { loadStates, saveTimings } from './job-averages.ts';
import { leftOpen } from './left-open.ts';
import { planIncidents } from './plan-incidents.ts';
import { rosterChange, saveRoster } from './roster-change.ts';
import { type Sent, type Telling, tell } from './tell.ts';
import type { TimingMemory } from './timing-memory.ts';
import type { WatchedManifest } from './watched-manifest.ts';

export interface SweepDependencies {
  readonly manifest: WatchedManifest;
  readonly watchStore: WatchStore;
  readonly runStore: WatchdogRunStore;
  /** Where runs are read that may have been asked for already. Default: `runStore` */
  readonly runs?: RunReader;
  readonly jobStates: JobStateStore;
  readonly invoker: JobInvoker;
  /** Where each job's rows are looked through in turn; without it nobody notices runs that should not have been. */
  readonly audit?: AuditSource;
  /** Where the cause of a miss is looked for; without it every cause is unknown. */
  readonly evidence?: () => Promise<EvidenceSource>;
  /** How people are told that a job is not well, and that it is again. */
  readonly telling: Telling;
  readonly timings: TimingMemory;
}

export interface SweepReport {
  /** What was done; an action that another watchdog or the run itself forestalled is not in it. */
  readonly done: readonly SweepAction[];
  /** Actions that failed, with the reason; they are tried again in the next sweep. */
  readonly failed: readonly { readonly action: SweepAction; readonly error: unknown }[];
  readonly findings: readonly TimingFinding[];
  readonly messages: readonly Sent[];
  /** How many occurrences were looked at. */
  readonly examined: number;
  /** How far this sweep counted. Less than now only while catching up after an outage. */
  readonly sweptAt: number;
  /** False when another watchdog moved the state first: it did this work too. */
  readonly moved: boolean;
  /** Where the next sweep begins, if this one moved it. */
  readonly state?: WatchState;
}

/**
 * One sweep: what was due since the last one is compared with the run records, and the plan carried out. It may be
 * interrupted anywhere and run twice at once: each action is conditional or goes through a claim, and the state moves last.
 *
 * @param place what the watch store has
 * @param firingLatenessMs how late the sweep itself was fired, if that is known
 */
export async function sweep(
  dependencies: SweepDependencies,
  place: WatchPlace,
  now: number,
  firingLatenessMs?: number,
): Promise<SweepReport> {
  const { manifest, watchStore, runStore, telling } = dependencies;
  const reader = dependencies.runs ?? runStore;
  const { state: last } = place;
  if (last === undefined) return begin(dependencies, now);

  const isDeployed = last.epochs.at(-1)?.roster !== manifest.digest;
  const change = isDeployed ? await rosterChange(dependencies, last, now) : undefined;
  const effectiveFrom = { ...last.effectiveFrom, ...change?.effectiveFrom };
  const { due, until } = dueOccurrences(manifest.jobs, { from: last.sweptAt, until: now, effectiveFrom });
  // One that is still to become due is looked after from then on.
  const requested = place.requested.filter(({ scheduledTime }) => scheduledTime <= until);
  const owed = new Set((change?.open ?? []).filter(({ adopted }) => !adopted).map(occurrenceId));
  const carried = last.open
    .map((one) => inherited(one, change?.renamed ?? {}))
    .filter((one) => !(one.adopted && owed.has(occurrenceId(one))));
  // What was carried over knows more: what was delivered, what was said.
  const occurrences = unique([
    ...adoptRequested([...manifest.jobs, ...manifest.disabled], requested),
    ...due,
    ...(change?.open ?? []),
    ...carried,
  ]);
  const keys = occurrences.flatMap(bothNames);
  const found = keys.length === 0 ? [] : await reader.getRuns(keys);
  const runs = new Map(found.map((run) => [occurrenceId(run), run]));
  const states = await loadStates(dependencies, jobsInQuestion({ now, occurrences, runs }));
  const jobs = new Map(manifest.jobs.map((job) => [job.entry.name, job]));
  const disabled = new Set(Object.keys(manifest.functions).filter((name) => !jobs.has(name)));
  const plan = planSweep({ now, occurrences, runs, jobs, disabled, states });
  const pauses = planPauses(last.pauses, states, now);
  const clockChanges = planClockChanges(manifest.jobs, { from: last.sweptAt, until, now, effectiveFrom });

  const isKnown = ({ job }: JobSignal) => jobs.has(job) || disabled.has(job);
  const about = {
    now,
    remindMs: telling.remindMs,
    isWatched: (job: string) => jobs.has(job),
    isQuiet: telling.isQuiet(now),
  };
  const known = last.incidents.map((one) => ({ ...one, job: heirOf(one.job, change?.renamed ?? {}) ?? one.job }));
  const silence = silenceBefore(now, last.lastAt).filter(({ id }) => !known.some((one) => one.id === id));
  const incidents = await planIncidents(dependencies, {
    ...about,
    incidents: [...known, ...silence],
    signals: plan.signals.filter(isKnown),
  });
  // People are told before anything else is done: neither the cause nor a late start keeps them waiting.
  const told = await tell(dependencies, last, incidents, now);
  if (told === undefined) return { ...NOTHING, examined: occurrences.length, sweptAt: last.sweptAt, moved: false };

  const { actions: planned, postponed } = slice(plan.actions);
  const late = lateWithoutCause(told.incidents, now);
  const { actions, causes } = await diagnose(dependencies, planned, { late, now, firingLatenessMs });
  const { done, failed } = await act(dependencies, [...actions, ...clockChanges, ...pauses.ended], now);
  const epochs = change?.epochs ?? last.epochs;
  const audits = planAudits(manifest.jobs, { sweptAt: last.sweptAt, now, since: epochs.at(-1)?.from ?? now });
  const audited = await carryOutAudits(dependencies.audit, audits);
  const missed = new Set(done.flatMap((action) => (action.type === 'recordMissed' ? [action.key.job] : [])));
  const state: WatchState = {
    sweptAt: until,
    lastAt: now,
    epochs,
    open: unique(leftOpen(plan.open, occurrences, { failed: failed.map(({ action }) => action), postponed }, now)),
    effectiveFrom: stillYoung(effectiveFrom, manifest.jobs, until),
    pauses: pauses.known,
    incidents: planTelling({
      ...about,
      incidents: withNews(told.incidents, causes, missed),
      signals: signalsOf(audited),
      isPaused: () => false,
    }),
    version: told.version + 1,
  };
  const moved = await watchStore.save(state);
  // A sweep that counts for nothing has learned nothing: the next one learns the same again.
  if (moved) await saveTimings(dependencies, plan.timings, now);
  if (moved) await tidy(watchStore, requested, change === undefined ? undefined : epochs);
  const findings = moved ? [...plan.findings, ...audited] : plan.findings;
  const report = {
    done,
    failed,
    findings,
    messages: told.messages,
    examined: occurrences.length,
    sweptAt: until,
    moved,
  };
  return moved ? { ...report, state } : report;
}

/** What stays lying there is found again by the next sweep, or goes with the next deployment: no reason to fail. */
async function tidy(
  watchStore: WatchStore,
  requested: readonly OccurrenceKey[],
  epochs: WatchState['epochs'] | undefined,
) {
  await Promise.allSettled([
    requested.length > 0 ? watchStore.forgetRequested(requested) : undefined,
    epochs === undefined ? undefined : watchStore.keepRosters(epochs.map(({ roster }) => roster)),
  ]);
}

/** What a sweep has to say when another watchdog does its work. */
const NOTHING = { done: [], failed: [], findings: [], messages: [] } as const;

/** For so long it is looked for why a job is late: some evidence comes only when Lambda has given up. */
const SEEK_CAUSE_MS = 10 * 60_000;

function lateWithoutCause(incidents: readonly Incident[], now: number): readonly OccurrenceKey[] {
  return incidents.filter(
    ({ kind, cause, since, untold, wellSince }) =>
      kind === 'late' &&
      cause === undefined &&
      untold !== 'closed' &&
      wellSince === undefined &&
      now - since < SEEK_CAUSE_MS,
  );
}

/** The first sweep ever: nothing was promised before it, so it only takes its place and looks after what runs. */
async function begin({ manifest, watchStore }: SweepDependencies, now: number): Promise<SweepReport> {
  await saveRoster(watchStore, manifest);
  const effectiveFrom = Object.fromEntries(manifest.jobs.map(({ entry }) => [entry.name, now]));
  const moved = await watchStore.save({
    sweptAt: now,
    lastAt: now,
    epochs: planEpochs([], manifest.digest, { sweptAt: now, now, isNewEpoch: true }),
    open: adoptable(manifest.jobs, now, now),
    effectiveFrom,
    pauses: {},
    incidents: [],
    version: 1,
  });
  return { ...NOTHING, examined: 0, sweptAt: now, moved };
}

function planPauses(known: WatchState['pauses'], states: ReadonlyMap<string, JobState>, now: number) {
  const pauses = new Map(Object.entries(known));
  for (const [job, { pause }] of states) {
    if (pause?.until !== undefined) pauses.set(job, pause.until);
  }
  const over = [...pauses].filter(([, until]) => until <= now);
  for (const [job] of over) pauses.delete(job);
  const ended = over.map(([job, until]): SweepAction => ({ type: 'endPause', job, until }));
  return { known: Object.fromEntries(pauses), ended };
}

/** What a job that was renamed has open passes to its new name. */
function inherited(occurrence: OpenOccurrence, renamed: Readonly<Record<string, string>>): OpenOccurrence {
  const heir = heirOf(occurrence.job, renamed);
  return heir === undefined ? occurrence : { ...occurrence, job: heir, formerName: occurrence.job };
}

function heirOf(job: string, renamed: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(renamed, job) ? renamed[job] : undefined;
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
