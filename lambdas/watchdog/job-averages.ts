import type { JobState, JobTiming } from '../../lib/domain/watch/job-state.ts';
import type { jobsInQuestion } from '../../lib/domain/watch/plan-sweep.ts';
import type { JobStateStore } from '../../lib/domain/watch/ports.ts';
import type { TimingMemory, UnsavedTiming } from './timing-memory.ts';

interface AverageDependencies {
  readonly jobStates: JobStateStore;
  readonly timings: TimingMemory;
}

/** A pause is asked for each time, an average only when this process does not know it. */
export async function loadStates(
  { jobStates, timings }: AverageDependencies,
  { paused, timing }: ReturnType<typeof jobsInQuestion>,
): Promise<ReadonlyMap<string, JobState>> {
  const wanted = new Set([...paused, ...timing.filter((job) => timings.timingOf(job) === undefined)]);
  const loaded = wanted.size === 0 ? new Map<string, JobState>() : await jobStates.loadJobStates([...wanted]);
  for (const [job, state] of loaded) if (state.timing !== undefined) timings.read(job, state.timing);
  const states = new Map(loaded);
  for (const job of timing) {
    const known = timings.timingOf(job);
    if (known !== undefined) states.set(job, { ...states.get(job), timing: known });
  }
  return states;
}

/** Of averages that wait to be saved so many a sweep: when all jobs end at once, they are no reason to be slow. */
const MOST_TIMINGS = 200;

/**
 * An average that could not be saved is saved by a later sweep: nothing else depends on it. Where another watchdog saved one
 * meanwhile, this one's is forgotten, with what it learned since its last save: what is stored is never taken back.
 */
export async function saveTimings(
  { jobStates, timings }: AverageDependencies,
  learned: ReadonlyMap<string, JobTiming>,
  now: number,
): Promise<void> {
  for (const [job, timing] of learned) timings.learn(job, timing, now);
  const save = async ({ job, timing, before }: UnsavedTiming) => {
    if (await jobStates.saveTiming(job, timing, before)) timings.saved(job, timing, now);
    else timings.forget(job);
  };
  await Promise.allSettled(timings.unsaved(MOST_TIMINGS).map(save));
}
