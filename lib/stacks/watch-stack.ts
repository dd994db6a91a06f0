import { Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { AlertTopics } from '../constructs/alert-topics.ts';
import { FleetAlarms } from '../constructs/fleet-alarms.ts';
import type { JobScheduler } from '../constructs/job-scheduler.ts';
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
    new Watchdog(this, 'Watchdog', { scheduler, logRetention: environment.logRetentionDays });
    const topics = new AlertTopics(this, 'Topics', { subscriptions: environment.alerts });
    new FleetAlarms(this, 'Alarms', { scheduler, topics, maxAlarms: environment.maxAlarms });
  }
}
