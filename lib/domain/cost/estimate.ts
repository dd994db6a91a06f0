import { addUsage, type Bill, billOf, shareOf } from './bill.ts';
import {
  type CostAssumptions,
  jobUsage,
  type PricedJob,
  type PricedScheduler,
  schedulerUsage,
} from './monthly-usage.ts';

export interface CostEstimate {
  readonly bill: Bill;
  /** US dollars a month of each job, in the order given. */
  readonly jobs: readonly { readonly name: string; readonly usd: number }[];
  /** US dollars a month of what there is beside the jobs. With the jobs' it adds up to the bill. */
  readonly fixedUsd: number;
}

/** What a scheduler and its jobs cost in a month, as a whole and by job. */
export function estimateCost(
  jobs: readonly PricedJob[],
  scheduler: PricedScheduler,
  assumptions: CostAssumptions,
): CostEstimate {
  const runs = jobs.reduce((sum, { runsAMonth }) => sum + runsAMonth, 0);
  const fixed = schedulerUsage(scheduler, runs);
  const usages = jobs.map((job) => ({ name: job.name, usage: jobUsage(job, scheduler, assumptions) }));
  const whole = addUsage(fixed, ...usages.map(({ usage }) => usage));
  return {
    bill: billOf(whole),
    jobs: usages.map(({ name, usage }) => ({ name, usd: shareOf(usage, whole) })),
    fixedUsd: shareOf(fixed, whole),
  };
}
