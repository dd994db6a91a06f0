import { type Evidence, isSuperseded, planCause, remedy, scheduleName } from '../../lib/domain/watch/plan-cause.ts';
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

/** The same actions, with the cause of each miss as far as it can be proved now; what was no miss is skipped instead. */
export async function diagnose(
  { manifest, evidence: open }: DiagnoseDependencies,
  actions: readonly SweepAction[],
  now: number,
  firingLatenessMs: number | undefined,
): Promise<readonly SweepAction[]> {
  const isRecent = (action: SweepAction): action is Missed =>
    action.type === 'recordMissed' && now - action.key.scheduledTime <= OLDEST_MS;
  const recent = actions.filter(isRecent);
  const evidence = open === undefined || recent.length === 0 ? undefined : await seen(open());
  if (evidence === undefined) return actions;

  const signal = AbortSignal.timeout(LONGEST_LOOK_MS);
  const undelivered = await seen(evidence.undelivered(signal));
  const jobs = [...new Set(recent.map(({ key }) => key.job))].slice(0, MOST_JOBS);
  const looks = await Promise.all(jobs.map(async (job) => [job, await look(manifest, evidence, job, signal)] as const));
  const byJob = new Map(looks);
  const revisions = new Map(manifest.jobs.map(({ entry }) => [entry.name, entry.revision]));

  return actions.map((action) => {
    const about = isRecent(action) ? byJob.get(action.key.job) : undefined;
    if (!isRecent(action) || about === undefined) return action;
    const { job } = action.key;
    const revision = revisions.get(job);
    if (revision !== undefined && isSuperseded(job, revision, about.schedules ?? [])) {
      return { type: 'recordSkipped', key: action.key, cause: 'superseded', trigger: 'schedule' };
    }
    const functionName = manifest.functions[job];
    const missed = { ...action.key, awsSchedules: manifest.awsSchedules[job] ?? [], functionName };
    const { cause, detail } = planCause(missed, {
      ...about,
      ...(undelivered === undefined ? {} : { undelivered }),
      ...(firingLatenessMs === undefined ? {} : { firingLatenessMs }),
    });
    const { environment, scheduleGroup } = manifest;
    const fix = remedy(cause, job, { environment, scheduleGroup, functionName });
    return { ...action, cause, ...(detail === undefined ? {} : { detail }), fix };
  });
}

async function look(
  { awsSchedules, functions }: WatchedManifest,
  evidence: EvidenceSource,
  job: string,
  signal: AbortSignal,
): Promise<Evidence> {
  const names = (awsSchedules[job] ?? []).map((_, index) => scheduleName(job, index));
  const functionName = functions[job];
  const [schedules, found] = await Promise.all([
    Promise.all(names.map((name) => seen(evidence.schedule(name, signal)))),
    functionName === undefined ? undefined : seen(evidence.function(functionName, signal)),
  ]);
  return {
    schedules: schedules.filter((one) => one !== undefined),
    ...(found === undefined ? {} : { function: found }),
  };
}

/** What cannot be looked at proves nothing, and is no error of the sweep's. */
async function seen<Found>(looking: Promise<Found>): Promise<Found | undefined> {
  try {
    return await looking;
  } catch {
    return undefined;
  }
}
