import { expect, test } from 'vitest';
import { addUsage, type Usage } from '../../../lib/domain/cost/bill.ts';
import {
  jobUsage,
  type PricedJob,
  type PricedScheduler,
  schedulerUsage,
  USUAL_ASSUMPTIONS,
} from '../../../lib/domain/cost/monthly-usage.ts';
import type { PricedItem } from '../../../lib/domain/cost/price-table.ts';
import { monthOf } from '../../support/cost/counted-month.ts';
import { countHours } from '../../support/cost/simulated-hours.ts';

const scheduler: PricedScheduler = {
  ...{ alarms: 7, dashboards: 0, kmsKeys: 0, logRetentionDays: 90 },
  ...{ lifecycleEvents: false, backup: true },
};
const JOBS = 100;
const HOURS = 2;
/** Of these the model must be right to a tenth. Time is not counted: it is another on each machine. */
const COUNTED: readonly PricedItem[] = [
  'schedulerInvocations',
  'lambdaRequests',
  'writeUnits',
  'readUnits',
  'logGbIngested',
  'logGbMonths',
  'tableGbMonths',
  'backupGbMonths',
  'customMetrics',
];

function modelled(): Usage {
  const job: Omit<PricedJob, 'name'> = {
    ...{ runsAMonth: 730, maxAttempts: 3, memoryMiB: 256, alarms: 0 },
    overlap: 'skip',
    metrics: 'failures',
  };
  const ofJobs = Array.from({ length: JOBS }, (_, index) =>
    jobUsage({ name: `job-${index}`, ...job }, scheduler, USUAL_ASSUMPTIONS),
  );
  return addUsage(schedulerUsage(scheduler, JOBS * 730), ...ofJobs);
}

test('what the model says of a month is what the deployed runtime and sweep use', async () => {
  const counted = await countHours(JOBS, HOURS);
  expect(counted).toMatchObject({ runs: JOBS * HOURS, failedRuns: 1, sweeps: HOURS * 60 });
  const month = monthOf(counted, { ...scheduler, jobMiB: 256, watchdogMiB: 512 }, { handlers: true });
  const model = modelled();
  for (const item of COUNTED) {
    const ratio = (model[item] ?? 0) / (month[item] ?? 0);
    expect(Math.abs(ratio - 1), `${item}: ${ratio}`).toBeLessThan(0.1);
  }
});
