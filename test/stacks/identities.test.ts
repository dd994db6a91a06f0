import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Duration, Stack } from 'aws-cdk-lib/core';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { EnvironmentDashboard } from '../../lib/constructs/environment-dashboard.ts';
import { FleetAlarms } from '../../lib/constructs/fleet-alarms.ts';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import { Maintenance } from '../../lib/constructs/maintenance.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { Watchdog } from '../../lib/constructs/watchdog.ts';
import { DeploymentSide } from '../../lib/domain/update/deployment-side.ts';
import { RESOURCE_SCHEMAS } from '../../lib/domain/update/resource-schemas.ts';
import { reviewUpdate } from '../../lib/domain/update/review-update.ts';
import type { StackTemplate } from '../../lib/domain/update/stack-template.ts';
import { parseEnvironments } from '../../lib/stacks/environment.ts';
import { EnvironmentStage } from '../../lib/stacks/environment-stage.ts';
import { environments } from '../../lib/stacks/environments.ts';
import { quietApp, SYNTH_TIME } from '../constructs/scheduler-app.ts';

const ACCOUNT = '111122223333';
// The environments here are not those whose jobs the roster lists.
vi.stubEnv('BELFRY_LOCAL', 'compare');
const root = mkdtempSync(join(tmpdir(), 'belfry-identities-'));
writeFileSync(join(root, 'job.ts'), "export const handler = async () => 'done';\n");
afterAll(() => rmSync(root, { recursive: true, force: true }));

let apps = 0;
function newApp(): App {
  return quietApp(join(root, `cdk.out.${apps++}`));
}

/** The stacks of an app as they are deployed into one Region of the account. */
function deployed(app: App, region = 'eu-west-1'): StackTemplate[] {
  const stacksOf = (assembly: CloudAssembly): StackTemplate[] => [
    ...assembly.stacks.map(({ stackName, template }) => ({
      name: `${stackName} in ${region}`,
      template,
      target: { account: ACCOUNT, region },
    })),
    ...assembly.nestedAssemblies.flatMap(({ nestedAssembly }) => stacksOf(nestedAssembly)),
  ];
  return stacksOf(app.synth());
}

/** All environments of the sample app, with everything that an environment may have. */
function sampleApp(region?: string): StackTemplate[] {
  const app = newApp();
  const maintenance = [{ begins: '0 2 * * 0', timeZone: 'UTC', minutes: 60 }];
  const all = Object.fromEntries(
    [...environments.map(({ name }) => name), 'dev-jobs'].map((name) => [
      name,
      { protected: name === 'prod', logRetentionDays: 7, lifecycleEvents: true, maintenance },
    ]),
  );
  for (const environment of parseEnvironments(all as Parameters<typeof parseEnvironments>[0])) {
    new EnvironmentStage(app, environment);
  }
  return deployed(app, region);
}

const DAILY = { schedule: ['0 8 * * *', '30 17 1 * *'], timeZone: 'UTC', entry: 'job.ts' };
const LONG = 'reconcile-the-ledgers-of-every-tenant-at-night';

/** An app whose constructs have the same paths, whose jobs the same names and whose environment the same name as others'. */
function ownApp(stackName: string, { stacks = 1, region = 'eu-west-1' } = {}): StackTemplate[] {
  const app = newApp();
  const jobs = new Stack(app, 'Jobs', { stackName });
  const scheduler = new JobScheduler(jobs, 'Scheduler', { environment: 'prod', root, stacks, now: SYNTH_TIME });
  const fleet = new JobFleet(scheduler, 'tenants-of-the-company-and-its-partners');
  for (const end of ['', '-1', '-2']) {
    new ScheduledJob(scheduler, `sync${end}`, DAILY);
    new ScheduledJob(scheduler, `${LONG}${end}`.slice(-48), DAILY);
    new FleetJob(fleet, `t${end}`, DAILY);
  }
  const watch = new Stack(app, 'Watch', { stackName: `${stackName}-watchdog` });
  new Watchdog(watch, 'Watchdog', { scheduler });
  const { alarms } = new FleetAlarms(watch, 'Alarms', { scheduler });
  const windows = [{ begins: '0 2 * * 0', timeZone: 'UTC', lasts: Duration.hours(1) }];
  new Maintenance(watch, 'Maintenance', { alarms, windows, prefix: scheduler.prefix });
  new EnvironmentDashboard(watch, 'Overview', { scheduler, alarms });
  return deployed(app, region);
}

/** What CloudFormation would find to exist already, if all of these were deployed beside each other. */
function taken(...stacks: readonly StackTemplate[][]): string[] {
  return reviewUpdate([], stacks.flat())
    .filter(({ rule }) => rule === 'NameTaken')
    .map(({ why }) => why);
}

describe('one account and Region', () => {
  test('takes all environments of an app beside each other', () => {
    const stacks = sampleApp();
    expect(stacks).toHaveLength(3 * 4);
    expect(taken(stacks)).toEqual([]);
  });

  test('takes other apps with the same construct paths, jobs and environment beside them', () => {
    const one = ownApp('billing');
    expect(taken(one, ownApp('shop'), ownApp('billing-jobs'), ownApp('billing-lifecycle'), sampleApp())).toEqual([]);
    expect(taken(ownApp('many', { stacks: 3 }), ownApp('many-more', { stacks: 3 }))).toEqual([]);
    // The question is a real one: the same app twice meets itself.
    expect(taken(one, ownApp('billing')).length).toBeGreaterThan(20);
  });

  test('tells stacks with long names apart', () => {
    const long = 'a-company-wide-platform-for-scheduled-work-in';
    const both = [ownApp(`${long}-production`), ownApp(`${long}-preproduction`)];
    expect(taken(...both)).toEqual([]);
  });

  test('takes the scheduler of a stack named like the watchdog of another', () => {
    // The group of one watchdog would be the other scheduler's, if it ended in -watchdog.
    const app = newApp();
    const scheduler = new JobScheduler(new Stack(app, 'Jobs', { stackName: 'billing' }), 'Scheduler', {
      environment: 'prod',
      root,
    });
    new Watchdog(new Stack(app, 'Watch', { stackName: 'elsewhere' }), 'Watchdog', { scheduler });
    expect(taken(deployed(app), ownApp('billing-watchdog'))).toEqual([]);
  });
});

test('an account takes the same app in two Regions, where names that belong to the account differ', () => {
  const regions = ['eu-west-1', 'us-east-1'];
  expect(taken(...regions.map((region) => sampleApp(region)))).toEqual([]);
  expect(taken(...regions.map((region) => ownApp('billing', { region })))).toEqual([]);
});

describe('resources', () => {
  const stacks = [...sampleApp(), ...ownApp('billing', { stacks: 3 })];
  const resources = stacks.flatMap((stack) =>
    Object.entries(stack.template.Resources ?? {}).map(([id, resource]) => ({ stack, id, resource })),
  );
  const side = new DeploymentSide(stacks);

  test('that outlive their stack have no name of their own, which the next deployment would find taken', () => {
    const kept = resources.filter(({ resource }) => resource.DeletionPolicy?.startsWith('Retain') === true);
    expect(kept.length).toBeGreaterThan(3);
    const named = kept.filter(({ stack, resource }) => side.identityOf(stack, resource) !== undefined);
    expect(named.map(({ resource, id }) => `${resource.Type} ${id}`)).toEqual([]);
  });

  test('are all of types whose identity is known', () => {
    const types = new Set(
      resources.map(({ resource }) => resource.Type).filter((type) => type !== 'AWS::CDK::Metadata'),
    );
    expect(types.size).toBeGreaterThan(10);
    expect([...types].filter((type) => RESOURCE_SCHEMAS[type] === undefined)).toEqual([]);
  });
});
