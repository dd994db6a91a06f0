import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duration, Stack, Stage } from 'aws-cdk-lib/core';
import { onTestFinished } from 'vitest';
import { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import { ScheduledJob, type ScheduledJobProps } from '../../lib/constructs/scheduled-job.ts';
import { quietApp, SYNTH_TIME } from '../constructs/scheduler-app.ts';

export type PlanJobs = Readonly<Record<string, Partial<ScheduledJobProps>>>;

/** The jobs that the examples of `belfry plan` begin with. */
export const PLAN_JOBS = {
  'invoice-dunning': {
    schedule: '0 8 * * 1-5',
    timeZone: 'America/New_York',
    expectedDuration: Duration.minutes(5),
    timeout: Duration.minutes(10),
  },
  'usage-report': { schedule: '0 * * * *', timeZone: 'Europe/London' },
  'db-cleanup': { schedule: '@daily', timeZone: 'UTC' },
  'price-sync': { schedule: '*/5 * * * *', timeZone: 'UTC', timeout: Duration.minutes(2) },
} satisfies PlanJobs;

/** A folder for the time of the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-plan-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/**
 * A cloud assembly with stage `prod` and these jobs in its stack `shop-prod-jobs`.
 * @param id of the scheduler's construct
 */
export function planAssembly(jobs: PlanJobs, id = 'Scheduler'): string {
  const root = testFolder();
  writeFileSync(join(root, 'job.ts'), "export const handler = async () => 'done';\n");
  const app = quietApp(join(root, 'cdk.out'));
  const stack = new Stack(new Stage(app, 'prod'), 'jobs', { stackName: 'shop-prod-jobs' });
  const scheduler = new JobScheduler(stack, id, { environment: 'prod', root, now: SYNTH_TIME });
  for (const [name, props] of Object.entries(jobs)) {
    new ScheduledJob(scheduler, name, { schedule: '@daily', timeZone: 'UTC', entry: 'job.ts', ...props });
  }
  app.synth();
  return join(root, 'cdk.out');
}
