import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib/core';
import { JobScheduler, RunTable, ScheduledJob } from '../../lib/index.ts';
import type { Template } from '../../lib/local/assembly/template.ts';
import { plannedSchedulers } from '../../lib/local/plan/planned-schedulers.ts';
import { resourcesOf } from '../../lib/local/plan/template-stack.ts';
import { parseEnvironments } from '../../lib/stacks/environment.ts';
import { WatchStack } from '../../lib/stacks/watch-stack.ts';
import type { Deployed } from '../../test/support/cost/counted-month.ts';

/** What is paid for in the templates of a protected environment that leaves all else as it is by default. */
export function deployedParts(): Deployed {
  const root = mkdtempSync(join(tmpdir(), 'belfry-cost-'));
  try {
    writeFileSync(join(root, 'job.ts'), "export const handler = async () => 'done';\n");
    const app = new App({ outdir: join(root, 'cdk.out'), builtinCloudFormationValidation: false });
    const [environment] = parseEnvironments({ prod: { protected: true, logRetentionDays: 90 } });
    if (environment === undefined) throw new Error('no environment');
    const table = new RunTable(new Stack(app, 'State'), 'RunTable');
    const jobs = new Stack(app, 'Jobs');
    const scheduler = new JobScheduler(jobs, 'Scheduler', { environment: environment.name, table, root });
    new ScheduledJob(scheduler, 'report', { schedule: '@hourly', timeZone: 'Europe/Berlin', entry: 'job.ts' });
    new WatchStack(app, 'Watch', { environment, scheduler });
    const stacks = app
      .synth()
      .stacks.map(({ stackName, template }) => ({ name: stackName, template: template as Template }));
    const [planned] = plannedSchedulers(stacks);
    if (planned === undefined) throw new Error('no scheduler was found in the templates');
    const watchdog = resourcesOf(stacks, 'AWS::Lambda::Function').find(({ Properties }) =>
      String(Properties?.Description).startsWith('Watches'),
    );
    return {
      ...planned.parts,
      logRetentionDays: environment.logRetentionDays,
      jobMiB: planned.jobs[0]?.memoryMiB ?? 0,
      watchdogMiB: Number(watchdog?.Properties?.MemorySize),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
