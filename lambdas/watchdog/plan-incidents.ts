import type { Incident } from '../../lib/domain/watch/incident.ts';
import { isPausedNow } from '../../lib/domain/watch/job-state.ts';
import { isSuperseded } from '../../lib/domain/watch/plan-cause.ts';
import { planTelling, type TellingInput } from '../../lib/domain/watch/plan-telling.ts';
import type { JobStateStore } from '../../lib/domain/watch/ports.ts';
import { type DiagnoseDependencies, lookAtSchedules } from './diagnose.ts';

interface IncidentDependencies extends DiagnoseDependencies {
  readonly jobStates: JobStateStore;
}

/** People wait meanwhile: of more jobs, or after longer, they are told without having looked. */
const MOST_JOBS = 50;
const LONGEST_LOOK_MS = 2_000;

/**
 * The incidents of a sweep, with what is to be told of them. Two things are worth a look before: whether a deployment is under
 * way, where jobs seem late for the first time; and whether a job is paused, where people would be reminded of it.
 */
export async function planIncidents(
  dependencies: IncidentDependencies,
  input: Omit<TellingInput, 'isPaused'>,
): Promise<readonly Incident[]> {
  const plan = (signals: TellingInput['signals'], paused: ReadonlySet<string>) =>
    planTelling({ ...input, signals, isPaused: (job) => paused.has(job) });
  const planned = plan(input.signals, new Set());
  const [ended, paused] = await Promise.all([
    jobsWithAnEndedDefinition(dependencies, planned),
    pausedJobs(dependencies, planned, input.now),
  ]);
  if (ended.size === 0 && paused.size === 0) return planned;
  return plan(
    input.signals.filter(({ job, kind }) => kind !== 'late' || !ended.has(job)),
    paused,
  );
}

/** A schedule of another revision than the watchdog knows of belongs to a deployment that is under way. */
async function jobsWithAnEndedDefinition(
  { manifest, evidence }: DiagnoseDependencies,
  planned: readonly Incident[],
): Promise<ReadonlySet<string>> {
  const late = new Set(planned.filter(isOpening).map(({ job }) => job));
  if (evidence === undefined || late.size === 0) return new Set();
  const revisions = new Map(manifest.jobs.map(({ entry }) => [entry.name, entry.revision]));
  const signal = AbortSignal.timeout(LONGEST_LOOK_MS);
  const looks = await Promise.all(
    [...late].slice(0, MOST_JOBS).map(async (job) => {
      const revision = revisions.get(job);
      const schedules = await lookAtSchedules(manifest, evidence, job, signal);
      return revision !== undefined && isSuperseded(job, revision, schedules) ? [job] : [];
    }),
  );
  return new Set(looks.flat());
}

function isOpening({ kind, untold, toldAt }: Incident): boolean {
  return kind === 'late' && toldAt === undefined && untold === 'opened';
}

async function pausedJobs(
  { jobStates }: IncidentDependencies,
  planned: readonly Incident[],
  now: number,
): Promise<ReadonlySet<string>> {
  const reminded = new Set(planned.filter(({ untold }) => untold === 'reminder').map(({ job }) => job));
  if (reminded.size === 0) return new Set();
  const states = await jobStates.loadJobStates([...reminded]);
  return new Set([...states].filter(([, state]) => isPausedNow(state, now)).map(([job]) => job));
}
