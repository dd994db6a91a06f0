import type { JobState, JobTiming } from '../../lib/domain/watch/job-state.ts';
import type { JobStateStore } from '../../lib/domain/watch/ports.ts';

export class MemoryJobStates implements JobStateStore {
  readonly states = new Map<string, JobState>();
  readonly requests = { loads: 0, jobsRead: 0, saves: 0 };

  async loadJobStates(jobs: readonly string[]): Promise<ReadonlyMap<string, JobState>> {
    this.requests.loads += 1;
    this.requests.jobsRead += jobs.length;
    return new Map(
      jobs.flatMap((job) => {
        const state = this.states.get(job);
        return state === undefined ? [] : [[job, state] as const];
      }),
    );
  }

  async saveTiming(job: string, timing: JobTiming, before: JobTiming | undefined): Promise<boolean> {
    this.requests.saves += 1;
    const stored = this.states.get(job)?.timing;
    if (stored !== undefined && stored.samples !== before?.samples) return false;
    this.states.set(job, { ...this.states.get(job), timing });
    return true;
  }

  async endPause(job: string, until: number): Promise<boolean> {
    const state = this.states.get(job);
    if (state?.pause?.until !== until) return false;
    const { pause: _, ...rest } = state;
    this.states.set(job, rest);
    return true;
  }
}
