import { Duration, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { AlertTopics } from '../constructs/alert-topics.ts';
import { EnvironmentDashboard } from '../constructs/environment-dashboard.ts';
import { FleetAlarms } from '../constructs/fleet-alarms.ts';
import type { JobScheduler } from '../constructs/job-scheduler.ts';
import { LifecycleEvents } from '../constructs/lifecycle-events.ts';
import { Maintenance } from '../constructs/maintenance.ts';
import { Watchdog } from '../constructs/watchdog.ts';
import type { Environment } from './environment.ts';

export interface WatchStackProps extends StackProps {
  readonly environment: Environment;
  readonly scheduler: JobScheduler;
}

/** Who watches the jobs, and who is told. Separate, so that the jobs deploy where alarms are not to be had. */
export class WatchStack extends Stack {
  constructor(scope: Construct, id: string, { environment, scheduler, ...props }: WatchStackProps) {
    super(scope, id, props);
    const topics = new AlertTopics(this, 'Topics', { subscriptions: environment.alerts });
    const windows = environment.maintenance.map(({ minutes, ...window }) => ({
      ...window,
      lasts: Duration.minutes(minutes),
    }));
    new Watchdog(this, 'Watchdog', {
      scheduler,
      logRetention: environment.logRetentionDays,
      topics,
      remindEvery: Duration.minutes(Math.round(60 * environment.alerts.remindHours)),
      maintenance: windows,
    });
    if (environment.lifecycleEvents) {
      new LifecycleEvents(this, 'Lifecycle', { scheduler, logRetention: environment.logRetentionDays });
    }
    const { alarms } = new FleetAlarms(this, 'Alarms', { scheduler, topics, maxAlarms: environment.maxAlarms });
    if (windows.length > 0) {
      new Maintenance(this, 'Maintenance', { alarms, windows, prefix: scheduler.prefix });
    }
    if (environment.dashboard) new EnvironmentDashboard(this, 'Overview', { scheduler, alarms });
  }
}
