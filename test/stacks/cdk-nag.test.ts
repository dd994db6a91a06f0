import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type App, Stack, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, onTestFinished, test } from 'vitest';
import { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { EnvironmentStage } from '../../lib/stacks/environment-stage.ts';
import { environments } from '../../lib/stacks/environments.ts';
import { quietApp } from '../constructs/scheduler-app.ts';

function checkedApp(): App {
  const outdir = mkdtempSync(join(tmpdir(), 'belfry-nag-'));
  onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
  const app = quietApp(outdir);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}

/** Rule and construct of each finding that nobody acknowledged. */
function findings(app: App): string[] {
  try {
    app.synth();
    return [];
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationFailed') throw error;
    const report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8'));
    return report.pluginReports.flatMap(
      ({ violations }: { violations: { ruleName: string; violatingConstructs: { constructPath: string }[] }[] }) =>
        violations.flatMap(({ ruleName, violatingConstructs }) =>
          violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
        ),
    );
  }
}

test('the three environments have no finding of AwsSolutions that is not acknowledged', () => {
  const app = checkedApp();
  for (const environment of environments) new EnvironmentStage(app, environment);
  expect(findings(app)).toEqual([]);
});

test('a new finding is one', () => {
  const app = checkedApp();
  const [dev] = environments;
  if (dev === undefined) throw new Error('no environments');
  const stage = new EnvironmentStage(app, dev);
  const jobs = stage.node.findChild('jobs');
  if (!(jobs instanceof Stack)) throw new Error('no jobs stack');
  new Queue(jobs, 'Plain');
  expect(findings(app).some((finding) => finding.startsWith('AwsSolutions-SQS'))).toBe(true);
});

test('an acknowledged wildcard covers no other wildcard', () => {
  const app = checkedApp();
  const stack = new Stack(app, 'Jobs');
  const scheduler = new JobScheduler(stack, 'Scheduler', { environment: 'test' });
  const job = new ScheduledJob(scheduler, 'greedy', {
    schedule: '@daily',
    timeZone: 'UTC',
    entry: 'lambdas/jobs/heartbeat.ts',
    files: ['lambdas/jobs/heartbeat/components.csv'],
  });
  job.role.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: ['*'] }));
  expect(findings(app)).toEqual(['AwsSolutions-IAM5[Resource::*] Jobs/Scheduler/greedy/Role/DefaultPolicy/Resource']);
});

test('functions that arm schedules have no finding', () => {
  const app = checkedApp();
  const scheduler = new JobScheduler(new Stack(app, 'Jobs'), 'Scheduler', { environment: 'test', wakeUps: true });
  new ScheduledJob(scheduler, 'dunning', { schedule: '@daily', timeZone: 'UTC', entry: 'lambdas/jobs/heartbeat.ts' });
  expect(findings(app)).toEqual([]);
});

test('more jobs than a policy can list have no finding either', () => {
  const app = checkedApp();
  const scheduler = new JobScheduler(new Stack(app, 'Jobs'), 'Scheduler', { environment: 'test' });
  for (let n = 0; n < 61; n++) {
    new ScheduledJob(scheduler, `job-${n}`, {
      schedule: '@daily',
      timeZone: 'UTC',
      entry: 'lambdas/jobs/heartbeat.ts',
    });
  }
  expect(findings(app)).toEqual([]);
});
