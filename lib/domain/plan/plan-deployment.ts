import { compareOccurrences, type OccurrenceChanges, scheduleOf } from './compare-occurrences.ts';
import { comparePolicies, type PolicyChange } from './compare-policies.ts';
import { type JobPair, type PlannedJobs, pairJobs } from './deployment.ts';
import { type DisturbedJob, disturbedJobs, nextQuiet } from './disturbed-jobs.ts';

const LOOKED_AHEAD_MS = 14 * 86_400_000;

/** What a deployment that begins now would do. */
export interface DeploymentPlan {
  /** Epoch milliseconds: occurrences after `now` up to `until` are compared. */
  readonly now: number;
  readonly until: number;
  /** Jobs that come, go or change, by scheduler and name. */
  readonly jobs: readonly JobChange[];
  /** The scheduler's name where it changes: with it those of its functions and schedules, and all idempotency keys. */
  readonly prefix?: { readonly before: string; readonly after: string };
  /** How many jobs stay as they are. */
  readonly unchanged: number;
  /** Jobs of stacks that are deployed and that the app does not have any more: they go on. */
  readonly leftBehind: readonly string[];
  readonly disturbed: readonly DisturbedJob[];
  /** From when on a deployment meets none of the jobs that it removes, renames or reschedules. */
  readonly quietFrom?: number;
}

export interface JobChange {
  readonly scheduler: string;
  /** As it is called after the deployment; a removed job, as it is called before. */
  readonly job: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly renamedFrom?: string;
  /** In which zones its occurrences are told: that of before, that of after. */
  readonly timeZones: readonly [before: string, after: string];
  readonly policies: readonly PolicyChange[];
  readonly occurrences: OccurrenceChanges;
}

export function planDeployment(before: PlannedJobs, after: PlannedJobs, now: number): DeploymentPlan {
  const until = now + LOOKED_AHEAD_MS;
  const all = pairJobs(before, after);
  const isLeftBehind = (pair: JobPair) => pair.after === undefined && pair.before?.isLeftBehind === true;
  const pairs = all.filter((pair) => !isLeftBehind(pair));
  const jobs = pairs.map((pair) => changeOf(pair, { from: now, to: until })).filter((change) => change !== undefined);
  const quietFrom = nextQuiet(pairs, now);
  const prefix = changedPrefix(pairs);
  return {
    now,
    until,
    jobs: jobs.sort((one, other) => compare(one.scheduler, other.scheduler) || compare(one.job, other.job)),
    ...(prefix === undefined ? {} : { prefix }),
    unchanged: pairs.length - jobs.length,
    leftBehind: all
      .filter(isLeftBehind)
      .map((pair) => pair.before?.definition.name ?? '')
      .sort(compare),
    disturbed: disturbedJobs(pairs, now),
    ...(quietFrom === undefined ? {} : { quietFrom }),
  };
}

function changedPrefix(pairs: readonly JobPair[]): DeploymentPlan['prefix'] {
  for (const { before, after } of pairs) {
    if (before === undefined || after === undefined || before.scheduler === after.scheduler) continue;
    return { before: before.scheduler, after: after.scheduler };
  }
  return undefined;
}

function changeOf({ before, after }: JobPair, span: { from: number; to: number }): JobChange | undefined {
  const one = after ?? before;
  if (one === undefined) return undefined;
  const policies = before === undefined || after === undefined ? [] : comparePolicies(before, after);
  const formerName = before?.definition.name;
  const isRenamed = formerName !== undefined && formerName !== one.definition.name;
  if (before !== undefined && after !== undefined && policies.length === 0 && !isRenamed) return undefined;
  return {
    scheduler: one.scheduler,
    job: one.definition.name,
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    ...(isRenamed ? { renamedFrom: formerName } : {}),
    timeZones: [(before ?? one).definition.timeZone, one.definition.timeZone],
    policies,
    occurrences: compareOccurrences(scheduleOf(before), scheduleOf(after), span),
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
