import { PRICES_DATE, PRICES_REGION } from '../../domain/cost/price-table.ts';
import type { Move, OccurrenceChanges } from '../../domain/plan/compare-occurrences.ts';
import type { MonthlyCosts } from '../../domain/plan/monthly-costs.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import { isWithinBudget, type PlanAnswer } from '../plan.ts';

/** Of each kind and job; `count` says how many there are. */
const MOST_TIMES = 100;

/** @param only names of jobs to show; empty: all */
export function planJson(answer: PlanAnswer, only: readonly string[]): object {
  const { environment, compared, obstacles, plan, costs, budget } = answer;
  const isShown = (job: string) => only.length === 0 || only.includes(job);
  return {
    environment,
    at: formatInstant(plan.now),
    until: formatInstant(plan.until),
    from: compared.from,
    to: compared.to,
    goesThrough: obstacles.length === 0,
    ...(budget === undefined ? {} : { withinBudget: isWithinBudget(answer) }),
    obstacles,
    formerStacks: compared.before.filter(({ isFormer }) => isFormer).map(({ name }) => name),
    ...(plan.prefix === undefined ? {} : { prefix: plan.prefix }),
    jobs: plan.jobs
      .filter(({ job, renamedFrom = '' }) => isShown(job) || (renamedFrom !== '' && isShown(renamedFrom)))
      .map(({ occurrences, ...change }) => ({ ...change, occurrences: occurrencesJson(occurrences) })),
    unchangedJobs: plan.unchanged,
    leftBehind: plan.leftBehind,
    disturbed: plan.disturbed
      .filter(({ job }) => isShown(job))
      .map(({ due, running, overBy, ...rest }) => ({
        ...rest,
        due: due.map(formatInstant),
        running: running.slice(-MOST_TIMES).map(formatInstant),
        overBy: formatInstant(overBy),
      })),
    quietFrom: plan.quietFrom === undefined ? null : formatInstant(plan.quietFrom),
    costs: {
      currency: 'USD',
      ...(budget === undefined ? {} : { budget }),
      before: costsJson(costs.before, isShown),
      after: costsJson(costs.after, isShown),
      assumptions: { ...costs.assumptions, prices: PRICES_REGION, pricesOf: PRICES_DATE, freeTier: false },
    },
  };
}

function costsJson({ usd, fixedUsd, jobs, lines }: MonthlyCosts, isShown: (job: string) => boolean): object {
  return {
    total: cents(usd),
    fixed: cents(fixedUsd),
    jobs: jobs.filter(({ job }) => isShown(job)).map(({ usd: ofJob, ...job }) => ({ ...job, total: cents(ofJob) })),
    lines: lines.map(({ label, usd: ofLine }) => ({ label, total: cents(ofLine) })),
  };
}

/** To a hundredth of a cent: a job may cost less than one. */
function cents(usd: number): number {
  return Math.round(usd * 10_000) / 10_000;
}

function occurrencesJson({ kept, appear, vanish, moved, lapsed, repeated }: OccurrenceChanges): object {
  const some = (instants: readonly number[]) => ({
    count: instants.length,
    times: instants.slice(0, MOST_TIMES).map(formatInstant),
  });
  const moves = (all: readonly Move[]) => ({
    count: all.length,
    moves: all.slice(0, MOST_TIMES).map(({ from, to }) => ({ from: formatInstant(from), to: formatInstant(to) })),
  });
  return {
    kept,
    appear: some(appear),
    vanish: some(vanish),
    moved: moves(moved),
    lapsed: moves(lapsed),
    repeated: moves(repeated),
  };
}
