import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { estimateCost } from '../../lib/domain/cost/estimate.ts';
import {
  type CostAssumptions,
  type PricedJob,
  type PricedScheduler,
  USUAL_ASSUMPTIONS,
  WITHOUT_HANDLERS,
} from '../../lib/domain/cost/monthly-usage.ts';
import { PRICED_ITEMS, PRICES, PRICES_DATE } from '../../lib/domain/cost/price-table.ts';

const path = join(import.meta.dirname, '..', '..', 'docs', 'cost.md');
/** As `npm run bench -- cost` reads them from the templates of a protected environment. */
const SCHEDULER: PricedScheduler = {
  ...{ alarms: 7, dashboards: 0, kmsKeys: 0, logRetentionDays: 90 },
  ...{ lifecycleEvents: false, backup: true },
};
const CASES = [
  { jobs: 10, metrics: 'failures' },
  { jobs: 1_000, metrics: 'failures' },
  { jobs: 10_000, metrics: 'scheduler' },
] as const;

function estimate({ jobs, metrics }: (typeof CASES)[number], assumptions: CostAssumptions) {
  const job: Omit<PricedJob, 'name'> = {
    ...{ runsAMonth: 730, maxAttempts: 3, memoryMiB: 256, alarms: 0 },
    overlap: 'skip',
    metrics,
  };
  const all = Array.from({ length: jobs }, (_, index) => ({ name: `job-${index}`, ...job }));
  return estimateCost(all, SCHEDULER, assumptions).bill;
}

/** The table of the page: what the lines of the bill come to. */
function table(): string {
  const whole = CASES.map((one) => estimate(one, USUAL_ASSUMPTIONS));
  const own = CASES.map((one) => estimate(one, WITHOUT_HANDLERS));
  const row = (label: string, values: readonly number[]) =>
    `| ${label} | ${values.map((value) => value.toFixed(2)).join(' | ')} |`;
  const lines = PRICED_ITEMS.flatMap((item) => {
    const values = whole.map(({ lines }) => lines.find((line) => line.item === item)?.usd ?? 0);
    return values.some((value) => value >= 0.005) ? [row(PRICES[item].label, values)] : [];
  });
  return [
    `| USD a month, list prices of ${PRICES_DATE} | ${CASES.map(({ jobs }) => `${jobs.toLocaleString('en')} jobs`).join(' | ')} |`,
    '| --- | ---: | ---: | ---: |',
    ...lines,
    row(
      '**all, with the handlers**',
      whole.map(({ usd }) => usd),
    ),
    row(
      "**Belfry's own part**",
      own.map(({ usd }) => usd),
    ),
  ].join('\n');
}

test('the page shows the bill that the model computes', () => {
  const text = readFileSync(path, 'utf8');
  const shown = /\| USD a month[\s\S]*?(?=\n\n)/;
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(path, text.replace(shown, table()));
  expect(shown.exec(readFileSync(path, 'utf8'))?.[0]).toBe(table());
});

test('of what a month costs the budgets hold', () => {
  const usd = (index: 1 | 2, assumptions: CostAssumptions) => estimate(CASES[index], assumptions).usd;
  expect(usd(1, WITHOUT_HANDLERS)).toBeLessThan(11);
  expect(usd(2, WITHOUT_HANDLERS)).toBeLessThan(42);
  expect(usd(1, USUAL_ASSUMPTIONS)).toBeLessThan(14);
  expect(usd(2, USUAL_ASSUMPTIONS)).toBeLessThan(76);
});
