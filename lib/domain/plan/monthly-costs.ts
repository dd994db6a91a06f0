import { estimateCost } from '../cost/estimate.ts';
import {
  type CostAssumptions,
  occurrencesAMonth,
  type PricedJob,
  type PricedScheduler,
  USUAL_ASSUMPTIONS,
} from '../cost/monthly-usage.ts';
import { refusedAMonth } from '../translation/surplus-firings.ts';
import { translateSchedule } from '../translation/translate-schedule.ts';
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

type Invocations = Required<Pick<PricedJob, 'runsAMonth' | 'refusedAMonth'>>;

/** What each job and the whole cost in a month, before and after. Occurrences are counted from `now` on. */
export function compareCosts(
  before: readonly PlannedScheduler[],
  after: readonly PlannedScheduler[],
  now: number,
  assumptions: CostAssumptions = USUAL_ASSUMPTIONS,
): CostComparison {
  const counts = new Map<string, Invocations>();
  const invocationsOf = (job: PlannedJob): Invocations => {
    const { schedule, timeZone, dst } = job.definition;
    const key = JSON.stringify([schedule, timeZone, dst, job.isEnabled]);
    let count = counts.get(key);
    if (count === undefined) {
      const parsed = scheduleOf(job);
      count =
        parsed === undefined
          ? { runsAMonth: 0, refusedAMonth: 0 }
          : {
              runsAMonth: occurrencesAMonth(parsed, now),
              refusedAMonth: refusedAMonth(translateSchedule(parsed)),
            };
      counts.set(key, count);
    }
    return count;
  };
  return {
    before: costsOf(before, invocationsOf, assumptions),
    after: costsOf(after, invocationsOf, assumptions),
    assumptions,
  };
}

function costsOf(
  schedulers: readonly PlannedScheduler[],
  invocationsOf: (job: PlannedJob) => Invocations,
  assumptions: CostAssumptions,
): MonthlyCosts {
  const lines = new Map<string, number>();
  let [usd, fixedUsd] = [0, 0];
  const jobs = schedulers.flatMap(({ name: scheduler, jobs: own, parts }) => {
    const priced = own.map(({ job, ...rest }): PricedJob => {
      const { name, overlap, pausable, retry } = job.definition;
      return {
        name,
        ...invocationsOf(job),
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
