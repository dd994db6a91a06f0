import { PRICES_DATE, PRICES_REGION } from '../../domain/cost/price-table.ts';
import type { PlanAnswer } from '../plan.ts';
import { count } from './plan-words.ts';

const MOST_JOBS = 5;
/** A difference below this is none that a person looks for. */
const LEAST_USD = 0.005;

/** What costs more or less than before, a line each. */
export function costLines(answer: PlanAnswer, isShown: (job: string) => boolean): readonly string[] {
  const { costs } = answer;
  const { before, after, assumptions } = costs;
  const changes = differences(answer).filter(({ job }) => isShown(job));
  const small = changes.length - MOST_JOBS;
  const { handlerSeconds, initSeconds, failingShare } = assumptions;
  return [
    ...changes.slice(0, MOST_JOBS).map(({ job, was, is }) => `${job}: ${pair(was, is)}`),
    ...(small > 0 ? [`and ${count(small, 'job')} whose cost changes less: --json names all`] : []),
    ...(isSame(before.fixedUsd, after.fixedUsd)
      ? []
      : [`beside the jobs (watchdog, alarms, dashboard, keys): ${pair(before.fixedUsd, after.fixedUsd)}`]),
    `assumed: runs of ${handlerSeconds} s, ${initSeconds} s more for a cold start, ${100 * failingShare} % failing; list prices of ${PRICES_REGION} as of ${PRICES_DATE}, no free tier. What the handlers call is not in it.`,
  ];
}

/** By how much each job costs more or less, under its name after the deployment. */
function differences({ costs: { before, after }, plan }: PlanAnswer) {
  const heirs = new Map(plan.jobs.map(({ job, renamedFrom }) => [renamedFrom, job]));
  const isOne = [before, after].every(({ jobs }) => new Set(jobs.map(({ scheduler }) => scheduler)).size <= 1);
  const found = new Map<string, { job: string; was: number; is: number }>();
  const of = (scheduler: string, job: string) => {
    const key = isOne ? job : `${scheduler}/${job}`;
    const known = found.get(key) ?? { job, was: 0, is: 0 };
    found.set(key, known);
    return known;
  };
  for (const { scheduler, job, usd } of before.jobs) of(scheduler, heirs.get(job) ?? job).was += usd;
  for (const { scheduler, job, usd } of after.jobs) of(scheduler, job).is += usd;
  const by = ({ was, is }: { was: number; is: number }) => Math.abs(is - was);
  return [...found.values()].filter((one) => by(one) >= LEAST_USD).sort((one, other) => by(other) - by(one));
}

function isSame(before: number, after: number): boolean {
  return Math.abs(after - before) < LEAST_USD;
}

export function pair(before: number, after: number, unit = ''): string {
  return isSame(before, after)
    ? `${usdWords(after)}${unit}, as before`
    : `${usdWords(before)} → ${usdWords(after)}${unit}`;
}

export function usdWords(usd: number): string {
  return `${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} USD`;
}
