import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib/core';
import { AlertTopics, type AlertTopicsProps } from '../../../lib/constructs/alert-topics.ts';
import { EntryBundle } from '../../../lib/constructs/bundle/entry-bundle.ts';
import { EnvironmentDashboard } from '../../../lib/constructs/environment-dashboard.ts';
import { FleetAlarms, type FleetAlarmsProps } from '../../../lib/constructs/fleet-alarms.ts';
import { FleetJob, type FleetJobProps } from '../../../lib/constructs/fleet-job.ts';
import { JobAlarms, type JobAlarmsProps } from '../../../lib/constructs/job-alarms.ts';
import { JobFleet, type JobFleetProps } from '../../../lib/constructs/job-fleet.ts';
import { JobScheduler } from '../../../lib/constructs/job-scheduler.ts';
import type { JobSchedulerProps } from '../../../lib/constructs/job-scheduler-props.ts';
import { LifecycleEvents, type LifecycleEventsProps } from '../../../lib/constructs/lifecycle-events.ts';
import { Maintenance, type MaintenanceProps } from '../../../lib/constructs/maintenance.ts';
import { RunTable, type RunTableProps } from '../../../lib/constructs/run-table.ts';
import { ScheduledJob, type ScheduledJobProps } from '../../../lib/constructs/scheduled-job.ts';
import { Watchdog, type WatchdogProps } from '../../../lib/constructs/watchdog.ts';
import type { StackTemplate } from '../../../lib/domain/update/stack-template.ts';
import { quietApp, SYNTH_TIME } from '../../constructs/scheduler-app.ts';
import { AppScopes, type Layout } from './app-scopes.ts';

/** Made in each synth anew: constructs belong to one app. */
export type Given<Props> = (at: AppScopes) => Partial<Props>;

export interface AppFleet {
  readonly props: Given<JobFleetProps>;
  readonly jobs: Readonly<Record<string, Given<FleetJobProps>>>;
}

/** An app as its author could write it. What is undefined is not there. */
export interface AppSpec {
  readonly layout: Layout;
  /** Props of a table that is made apart from the scheduler; undefined: the scheduler makes its own. */
  readonly runTable: Given<RunTableProps> | undefined;
  readonly scheduler: Given<JobSchedulerProps>;
  /** Jobs with a function of their own, or one that exists, by name. */
  readonly jobs: Readonly<Record<string, Given<ScheduledJobProps>>>;
  readonly fleets: Readonly<Record<string, AppFleet>>;
  readonly watchdog: Given<WatchdogProps> | undefined;
  readonly topics: Given<AlertTopicsProps>;
  readonly alarms: Given<FleetAlarmsProps> | undefined;
  readonly jobAlarms: Given<JobAlarmsProps> | undefined;
  readonly lifecycle: Given<LifecycleEventsProps> | undefined;
  readonly maintenance: Given<MaintenanceProps> | undefined;
  readonly hasDashboard: boolean;
}

const nothing = () => ({});

/** Every kind of thing once. */
export function usualApp(layout: Layout): AppSpec {
  return {
    layout,
    runTable: nothing,
    scheduler: () => (layout === 'spread' ? { stacks: 3 } : {}),
    jobs: { invoices: nothing, report: () => ({ schedule: ['0 8 * * *', '30 9 * * *'] }) },
    fleets: { tenant: { props: nothing, jobs: { acme: nothing, bolt: nothing, core: nothing } } },
    watchdog: nothing,
    topics: nothing,
    alarms: nothing,
    jobAlarms: undefined,
    lifecycle: undefined,
    maintenance: undefined,
    hasDashboard: true,
  };
}

const WHEN = { schedule: '0 8 * * *', timeZone: 'UTC' };
const BUNDLE = new Map([['index.mjs', new TextEncoder().encode('export const handler = async () => 0;')]]);

/** What would be deployed, stack by stack. Handlers are not bundled: no rule looks into them. */
export function synthesised(spec: AppSpec): readonly StackTemplate[] {
  return templatesOf((app, root) => {
    writeFileSync(join(root, 'job.ts'), '');
    declare(new AppScopes(app, spec.layout), spec, root);
  });
}

/** The stacks of an app, without bundles in it. */
export function templatesOf(fill: (app: App, root: string) => void): readonly StackTemplate[] {
  const root = mkdtempSync(join(tmpdir(), 'belfry-update-'));
  const bundled = Object.getOwnPropertyDescriptor(EntryBundle.prototype, 'filesOf');
  EntryBundle.prototype.filesOf = () => BUNDLE;
  try {
    const app = quietApp(join(root, 'cdk.out'), { 'aws:cdk:disable-stack-trace': true });
    fill(app, root);
    return app.synth().stacksRecursively.map(({ stackName, template, dependencies }) => ({
      name: stackName,
      template,
      dependsOn: dependencies.flatMap((artifact) => ('stackName' in artifact ? [String(artifact.stackName)] : [])),
    }));
  } finally {
    if (bundled !== undefined) Object.defineProperty(EntryBundle.prototype, 'filesOf', bundled);
    rmSync(root, { recursive: true, force: true });
  }
}

function declare(at: AppScopes, spec: AppSpec, root: string): void {
  const table = spec.runTable === undefined ? {} : { table: new RunTable(at.state, 'Runs', spec.runTable(at)) };
  const scheduler = new JobScheduler(at.jobs, 'Scheduler', {
    environment: 'prod',
    root,
    now: SYNTH_TIME,
    ...table,
    ...spec.scheduler(at),
  });
  for (const [name, props] of Object.entries(spec.jobs)) {
    const given = props(at);
    const code = given.image === undefined && given.function === undefined ? { entry: 'job.ts' } : {};
    new ScheduledJob(scheduler, name, { ...WHEN, ...code, ...given });
  }
  for (const [name, { props, jobs }] of Object.entries(spec.fleets)) {
    const fleet = new JobFleet(scheduler, name, props(at));
    for (const [job, own] of Object.entries(jobs)) new FleetJob(fleet, job, { ...WHEN, entry: 'job.ts', ...own(at) });
  }
  watch(at, spec, scheduler);
}

function watch(at: AppScopes, spec: AppSpec, scheduler: JobScheduler): void {
  const topics = new AlertTopics(at.watch, 'Topics', spec.topics(at));
  if (spec.watchdog !== undefined) new Watchdog(at.watch, 'Watchdog', { scheduler, ...spec.watchdog(at) });
  const fleetAlarms =
    spec.alarms === undefined
      ? []
      : new FleetAlarms(at.watch, 'Alarms', { scheduler, topics, ...spec.alarms(at) }).alarms;
  if (spec.jobAlarms !== undefined) {
    new JobAlarms(at.watch, 'JobAlarms', { scheduler, topics, job: 'invoices', ...spec.jobAlarms(at) });
  }
  if (spec.lifecycle !== undefined) new LifecycleEvents(at.watch, 'Lifecycle', { scheduler, ...spec.lifecycle(at) });
  if (spec.maintenance !== undefined) {
    new Maintenance(at.watch, 'Maintenance', {
      alarms: fleetAlarms,
      windows: [],
      prefix: scheduler.prefix,
      ...spec.maintenance(at),
    });
  }
  if (spec.hasDashboard) new EnvironmentDashboard(at.watch, 'Overview', { scheduler, alarms: fleetAlarms });
}
