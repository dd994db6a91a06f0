// bench: what a month costs: 10, 1,000 and 10,000 hourly jobs as deployed by default, beside the naive way
//
// Requests, units, invocations, log bytes and metrics are counted: the deployed runtime and the deployed sweep carry out
// hours of the month against a table that counts, on a settable clock. What is paid for by the month (alarms, dashboards,
// memory, retention) is read from the synthesised templates.
import Table from 'cli-table3';
import { type Bill, billOf } from '../lib/domain/cost/bill.ts';
import { PRICED_ITEMS, PRICES, PRICES_DATE, PRICES_REGION, usdOf } from '../lib/domain/cost/price-table.ts';
import { ASSUMED, monthOf } from '../test/support/cost/counted-month.ts';
import { countHours } from '../test/support/cost/simulated-hours.ts';
import { deployedParts } from './cost/deployed-parts.ts';
import { naiveMonth } from './cost/naive-month.ts';

/** So many hours that one run of 200 fails, exactly. Beyond 1,000 jobs people take a fleet, whose jobs have no metrics. */
const CASES = [
  { jobs: 10, hours: 20, metrics: 'failures' },
  { jobs: 1_000, hours: 1, metrics: 'failures' },
  { jobs: 10_000, hours: 1, metrics: 'scheduler' },
] as const;
const BUDGETS: Readonly<Record<number, { readonly own: number; readonly whole: number }>> = {
  1000: { own: 11, whole: 14 },
  10000: { own: 42, whole: 76 },
};

interface Row {
  readonly jobs: number;
  /** What a metric for each hour in which a certain job failed would add, where jobs have none. */
  readonly failures: number;
  readonly own: Bill;
  readonly whole: Bill;
  readonly naive: Bill;
}

const deployed = deployedParts();
const rows: Row[] = [];
for (const { jobs, hours, metrics } of CASES) {
  const began = performance.now();
  const counted = await countHours(jobs, hours, metrics);
  const { runs, failedRuns, ofJobs, ofWatchdog, sweeps } = counted;
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(
    `counted: ${jobs.toLocaleString('en')} jobs, ${hours} h: ${runs.toLocaleString('en')} runs (${failedRuns} failed, 3 attempts each), ${sweeps} sweeps; ` +
      `a run: ${perRun(ofJobs.writeUnits, runs)} write and ${perRun(ofJobs.readUnits, runs)} read units, ${perRun(ofJobs.logBytes, runs, 0)} log bytes; ` +
      `a sweep: ${perRun(ofWatchdog.writeUnits, sweeps)} and ${perRun(ofWatchdog.readUnits, sweeps)} units (${seconds} s)`,
  );
  rows.push({
    jobs,
    failures: metrics === 'scheduler' ? usdOf('customMetrics', failedRuns / hours) : 0,
    own: billOf(monthOf(counted, deployed, { handlers: false })),
    whole: billOf(monthOf(counted, deployed, { handlers: true })),
    naive: billOf(await naiveMonth(jobs, deployed)),
  });
}

const usd = (value: number) => (value === 0 ? '' : value.toFixed(2));
const table = new Table({
  head: ['USD a month', ...rows.flatMap(({ jobs }) => [`${jobs.toLocaleString('en')} jobs`, 'naive'])],
  style: { head: [], border: [], compact: true },
  colAligns: ['left', ...rows.flatMap(() => ['right', 'right'] as const)],
});
for (const item of PRICED_ITEMS) {
  const cells = rows.flatMap(({ whole, naive }) => [whole, naive].map((bill) => usd(lineOf(bill, item))));
  if (cells.some((cell) => cell !== '')) table.push([PRICES[item].label, ...cells]);
}
table.push(['all, with the handlers', ...rows.flatMap(({ whole, naive }) => [usd(whole.usd), usd(naive.usd)])]);
table.push(['own part, without the handlers', ...rows.flatMap(({ own }) => [usd(own.usd), ''])]);
table.push(['times as much', ...rows.flatMap(({ whole, naive }) => ['', `${(naive.usd / whole.usd).toFixed(1)}x`])]);
console.log(table.toString());

for (const { jobs, own, whole, failures } of rows) {
  const budget = BUDGETS[jobs];
  if (budget === undefined) continue;
  const verdict = (value: number, most: number) => `${value.toFixed(2)} of ${most} (${(value / most).toFixed(2)}x)`;
  console.log(
    `budget, ${jobs.toLocaleString('en')} jobs: own part ${verdict(own.usd, budget.own)}, with handlers ${verdict(whole.usd, budget.whole)}${failures === 0 ? '' : `; metrics: 'failures' would add ${failures.toFixed(2)}`}`,
  );
}
console.log(`prices: ${PRICES_REGION}, list prices of ${PRICES_DATE}, no free tier (lib/domain/cost/price-table.ts)`);
console.log(
  `assumed: handlers of 1 s at ${deployed.jobMiB} MiB arm64 with ${ASSUMED.initMs} ms of initialisation, each run in a fresh process; ${ASSUMED.requestMs} ms a DynamoDB request, ${ASSUMED.connectMs} ms to connect; ` +
    `watchdog of ${deployed.watchdogMiB} MiB, ${ASSUMED.sweepSlowdown} times the processor time of this machine; logs kept ${deployed.logRetentionDays} days, at 15 % after compression; ` +
    `the table full, with ${ASSUMED.recordsKeptDays} days of records${deployed.backup ? ', and backed up continuously' : ''}; ${deployed.alarms} alarms, ${deployed.dashboards} dashboards`,
);
console.log(
  `naive: NodejsFunction, Schedule and four alarms on Lambda's metrics for each job, Powertools idempotency (counted at the same table), the same memory and handlers, Lambda's two retries; no record of runs, no watch for missed ones`,
);
console.log(
  '10,000 jobs: a fleet, whose jobs tell their metrics under the scheduler’s name; in its warm processes 0.4 s of initialisation and 2 read units a run would be saved',
);

function lineOf({ lines }: Bill, item: string): number {
  return lines.find((line) => line.item === item)?.usd ?? 0;
}

function perRun(total: number, count: number, digits = 2): string {
  return (total / count).toFixed(digits);
}
