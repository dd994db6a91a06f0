import { scheduleName } from '../../lib/domain/contract/names.ts';
import type { OccurrenceKey } from '../../lib/domain/contract/occurrence-key.ts';
import type { FoundCause } from '../../lib/domain/watch/incident.ts';
import {
  type Evidence,
  type FoundSchedule,
  isSuperseded,
  planCause,
  remedy,
} from '../../lib/domain/watch/plan-cause.ts';
import type { SweepAction } from '../../lib/domain/watch/plan-sweep.ts';
import type { EvidenceSource } from '../../lib/domain/watch/ports.ts';
import type { WatchedManifest } from './watched-manifest.ts';

export interface DiagnoseDependencies {
  readonly manifest: WatchedManifest;
  /** Called at the first miss. */
  readonly evidence?: () => Promise<EvidenceSource>;
}

/** Finding causes must not keep a sweep from recording misses: so many jobs, so much real time, and no more. */
const MOST_JOBS = 20;
const LONGEST_LOOK_MS = 5_000;
/** How things are now says nothing about what was due long ago. */
const OLDEST_MS = 30 * 60_000;

type Missed = SweepAction & { readonly type: 'recordMissed' };

export interface DiagnosisTime {
  readonly now: number;
  /** Occurrences that started late or are still to start, and of which nobody knows why. */
  readonly late: readonly OccurrenceKey[];
  /** How late the sweep itself was fired, if that is known. */
  readonly firingLatenessMs: number | undefined;
}

export interface Diagnosed {
  /** The same actions, with the cause of each miss as far as it can be proved now; what was no miss is skipped instead. */
  readonly actions: readonly SweepAction[];
  /** Why jobs did not start in time, by job. */
  readonly causes: ReadonlyMap<string, FoundCause>;
}

export async function diagnose(
  { manifest, evidence: open }: DiagnoseDependencies,
  actions: readonly SweepAction[],
  { late, now, firingLatenessMs }: DiagnosisTime,
): Promise<Diagnosed> {
  const causes = new Map<string, FoundCause>();
  const isRecent = ({ scheduledTime }: OccurrenceKey) => now - scheduledTime <= OLDEST_MS;
  const isRecentMiss = (action: SweepAction): action is Missed =>
    action.type === 'recordMissed' && isRecent(action.key);
  const missed = actions.filter(isRecentMiss).map(({ key }) => key);
  const inQuestion = [...missed, ...late.filter(isRecent)];
  const evidence = open === undefined || inQuestion.length === 0 ? undefined : await seen(open());
  if (evidence === undefined) return { actions, causes };

  const signal = AbortSignal.timeout(LONGEST_LOOK_MS);
  const undelivered = await seen(evidence.undelivered(signal));
  const jobs = [...new Set(inQuestion.map(({ job }) => job))].slice(0, MOST_JOBS);
  const looks = await Promise.all(jobs.map(async (job) => [job, await look(manifest, evidence, job, signal)] as const));
  const byJob = new Map(looks);
  const revisions = new Map(manifest.jobs.map(({ entry }) => [entry.name, entry.revision]));
  const causeOf = ({ job, scheduledTime }: OccurrenceKey, about: Evidence): FoundCause => {
    const functionName = manifest.functions[job];
    const { environment, scheduler, jobsStacks } = manifest;
    const occurrence = {
      scheduler,
      job,
      scheduledTime,
      awsSchedules: manifest.awsSchedules[job] ?? [],
      functionName,
    };
    const { cause, detail } = planCause(occurrence, {
      ...about,
      ...(undelivered === undefined ? {} : { undelivered }),
      ...(firingLatenessMs === undefined ? {} : { firingLatenessMs }),
    });
    const fix = remedy(cause, job, { environment, scheduler, jobsStacks, functionName });
    return { cause, ...(detail === undefined ? {} : { detail }), fix };
  };
  for (const key of late) {
    const about = isRecent(key) ? byJob.get(key.job) : undefined;
    if (about !== undefined) causes.set(key.job, causeOf(key, about));
  }

  const diagnosed = actions.map((action): SweepAction => {
    const about = isRecentMiss(action) ? byJob.get(action.key.job) : undefined;
    if (!isRecentMiss(action) || about === undefined) return action;
    const { job } = action.key;
    const revision = revisions.get(job);
    if (revision !== undefined && isSuperseded(job, revision, about.schedules ?? [])) {
      return { type: 'recordSkipped', key: action.key, cause: 'superseded', trigger: 'schedule' };
    }
    const found = causeOf(action.key, about);
    if (found.cause !== 'unknown' || !causes.has(job)) causes.set(job, found);
    return { ...action, ...found };
  });
  return { actions: diagnosed, causes };
}

/** The job's schedules, as they are now; those that cannot be looked at are left out. */
export async function lookAtSchedules(
  { scheduler, awsSchedules }: WatchedManifest,
  open: () => Promise<Pick<EvidenceSource, 'schedule'>>,
  job: string,
  signal: AbortSignal,
): Promise<readonly FoundSchedule[]> {
  const evidence = await seen(open());
  if (evidence === undefined) return [];
  const names = (awsSchedules[job] ?? []).map((_, index) => scheduleName(scheduler, job, index));
  const schedules = await Promise.all(names.map((name) => seen(evidence.schedule(name, signal))));
  return schedules.filter((one) => one !== undefined);
}

async function look(
  manifest: WatchedManifest,
  evidence: EvidenceSource,
  job: string,
  signal: AbortSignal,
): Promise<Evidence> {
  const functionName = manifest.functions[job];
  const [schedules, found] = await Promise.all([
    lookAtSchedules(manifest, async () => evidence, job, signal),
    functionName === undefined ? undefined : seen(evidence.function(functionName, signal)),
  ]);
  return { schedules, ...(found === undefined ? {} : { function: found }) };
}

/** What cannot be looked at proves nothing, and is no error of the sweep's. */
async function seen<Found>(looking: Promise<Found>): Promise<Found | undefined> {
  try {
    return await looking;
  } catch {
    return undefined;
  }
}
