import type { Incident } from '../../lib/domain/watch/incident.ts';
import { isSuperseded } from '../../lib/domain/watch/plan-cause.ts';
import { planTelling, type TellingInput } from '../../lib/domain/watch/plan-telling.ts';
import { type DiagnoseDependencies, lookAtSchedules } from './diagnose.ts';

/** People wait meanwhile: of more jobs, or after longer, they are told without having looked. */
const MOST_JOBS = 50;
const LONGEST_LOOK_MS = 2_000;

/**
 * The incidents of a sweep. Where jobs seem late for the first time, their schedules are looked at before anybody is told: a
 * schedule of another revision than the watchdog knows of belongs to a deployment that is under way, and the occurrence to a
 * definition that has ended. That is the one thing worth waiting for, and only briefly.
 */
export async function planUnlessDeploying(
  { manifest, evidence: open }: DiagnoseDependencies,
  input: TellingInput,
): Promise<readonly Incident[]> {
  const planned = planTelling(input);
  const late = new Set(planned.filter(isOpening).map(({ job }) => job));
  if (open === undefined || late.size === 0) return planned;
  const revisions = new Map(manifest.jobs.map(({ entry }) => [entry.name, entry.revision]));
  const signal = AbortSignal.timeout(LONGEST_LOOK_MS);
  const looks = await Promise.all(
    [...late].slice(0, MOST_JOBS).map(async (job) => {
      const revision = revisions.get(job);
      const schedules = await lookAtSchedules(manifest, open, job, signal);
      return revision !== undefined && isSuperseded(job, revision, schedules) ? [job] : [];
    }),
  );
  const ended = new Set(looks.flat());
  if (ended.size === 0) return planned;
  return planTelling({
    ...input,
    signals: input.signals.filter(({ job, kind }) => kind !== 'late' || !ended.has(job)),
  });
}

function isOpening({ kind, untold, toldAt }: Incident): boolean {
  return kind === 'late' && toldAt === undefined && untold === 'opened';
}
