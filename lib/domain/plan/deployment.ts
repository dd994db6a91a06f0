import type { JobDefinition } from '../job.ts';

/** A job on one side of a deployment. */
export interface PlannedJob {
  /** Which scheduler declares it: two schedulers may have jobs of one name. */
  readonly scheduler: string;
  readonly definition: JobDefinition;
  /** Whether its schedules fire. */
  readonly isEnabled: boolean;
  /** Differs when anything of its function's declaration does: code, memory, variables. */
  readonly functionDigest?: string;
  /** Its stack is deployed, and the app does not have that any more: whatever is deployed, the job there goes on. */
  readonly isLeftBehind?: boolean;
}

/** All jobs of an environment on one side of a deployment. */
export type PlannedJobs = readonly PlannedJob[];

/** One job before and after; one of the two is there. */
export interface JobPair {
  readonly before?: PlannedJob;
  readonly after?: PlannedJob;
}

/**
 * Which job of one side is which of the other: those of one name, and a job that says its former name in `renamedFrom`.
 * Where either side has one scheduler only, that is the same one, whatever it is called.
 */
export function pairJobs(before: PlannedJobs, after: PlannedJobs): readonly JobPair[] {
  const [leftBehind, own] = [before.filter(isLeft), before.filter((job) => !isLeft(job))];
  const isOne = schedulersOf(own).size <= 1 && schedulersOf(after).size <= 1;
  const keyOf = ({ scheduler }: PlannedJob, name: string) => `${isOne ? '' : scheduler}/${name}`;
  const declared = new Set(after.map((job) => keyOf(job, job.definition.name)));
  // Of two with one name, the one of a stack that is deployed with the app.
  const old = new Map([...leftBehind, ...own].map((job) => [keyOf(job, job.definition.name), job]));
  const pairs: JobPair[] = after.map((job) => {
    const { name, renamedFrom } = job.definition;
    const formerKey = renamedFrom === undefined ? undefined : keyOf(job, renamedFrom);
    const key =
      !old.has(keyOf(job, name)) && formerKey !== undefined && !declared.has(formerKey) ? formerKey : keyOf(job, name);
    const former = old.get(key);
    old.delete(key);
    return former === undefined ? { after: job } : { before: former, after: job };
  });
  return [...pairs, ...[...old.values()].map((job) => ({ before: job }))];
}

function isLeft({ isLeftBehind = false }: PlannedJob): boolean {
  return isLeftBehind;
}

function schedulersOf(jobs: PlannedJobs): ReadonlySet<string> {
  return new Set(jobs.map(({ scheduler }) => scheduler));
}
