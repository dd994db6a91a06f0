import { estimateCost } from '../cost/estimate.ts';
import {
  type CostAssumptions,
  occurrencesAMonth,
  type PricedJob,
  type PricedScheduler,
  USUAL_ASSUMPTIONS,
} from '../cost/monthly-usage.ts';
import { scheduleOf } from './compare-occurrences.ts';
import type { PlannedJob } from './deployment.ts';

/** A scheduler with its jobs, and what of its templates is paid for. */
export interface PlannedScheduler {
  readonly name: string;
  readonly jobs: readonly PlannedJobWithParts[];
  readonly parts: PricedScheduler;
}

export interface PlannedJobWithParts extends Pick<PricedJob, 'memoryMiB' | 'metrics' | 'alarms' | 'refusedAMonth'> {
  readonly job: PlannedJob;
}

/** US dollars a month. */
export interface MonthlyCosts {
  readonly usd: number;
  /** What there is beside the jobs. */
  readonly fixedUsd: number;
  /** By job, those of all schedulers. */
  readonly jobs: readonly { readonly scheduler: string; readonly job: string; readonly usd: number }[];
  readonly lines: readonly { readonly label: string; readonly usd: number }[];
}

export interface CostComparison {
  readonly before: MonthlyCosts;
  readonly after: MonthlyCosts;
  readonly assumptions: CostAssumptions;
}

/** What each job and the whole cost in a month, before and after. Occurrences are counted from `now` on. */
export function compareCosts(
  before: readonly PlannedScheduler[],
  after: readonly PlannedScheduler[],
  now: number,
  assumptions: CostAssumptions = USUAL_ASSUMPTIONS,
): CostComparison {
  const counts = new Map<string, number>();
  const runsOf = (job: PlannedJob): number => {
    const { schedule, timeZone, dst } = job.definition;
    const key = JSON.stringify([schedule, timeZone, dst, job.isEnabled]);
    let count = counts.get(key);
    if (count === undefined) {
      const parsed = scheduleOf(job);
      count = parsed === undefined ? 0 : occurrencesAMonth(parsed, now);
      counts.set(key, count);
    }
    return count;
  };
  return {
    before: costsOf(before, runsOf, assumptions),
    after: costsOf(after, runsOf, assumptions),
    assumptions,
  };
}

function costsOf(
  schedulers: readonly PlannedScheduler[],
  runsOf: (job: PlannedJob) => number,
  assumptions: CostAssumptions,
): MonthlyCosts {
  const lines = new Map<string, number>();
  let [usd, fixedUsd] = [0, 0];
  const jobs = schedulers.flatMap(({ name: scheduler, jobs: own, parts }) => {
    const priced = own.map(({ job, ...rest }): PricedJob => {
      const { name, overlap, pausable, retry } = job.definition;
      return {
        name,
        runsAMonth: runsOf(job),
        overlap,
        ...(pausable === undefined ? {} : { pausable }),
        maxAttempts: retry.maxAttempts,
        ...rest,
      };
    });
    const estimate = estimateCost(priced, parts, assumptions);
    usd += estimate.bill.usd;
    fixedUsd += estimate.fixedUsd;
    for (const line of estimate.bill.lines) lines.set(line.label, (lines.get(line.label) ?? 0) + line.usd);
    return estimate.jobs.map(({ name, usd: ofJob }) => ({ scheduler, job: name, usd: ofJob }));
  });
  return { usd, fixedUsd, jobs, lines: [...lines].map(([label, ofLine]) => ({ label, usd: ofLine })) };
}
