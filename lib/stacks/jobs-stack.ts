import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { JobScheduler } from '../constructs/job-scheduler.ts';
import type { RunTable } from '../constructs/run-table.ts';
import { ScheduledJob } from '../constructs/scheduled-job.ts';
import type { Environment } from './environment.ts';

export interface JobsStackProps extends StackProps {
  readonly environment: Environment;
  readonly runTable: RunTable;
  readonly appTable: TableV2;
}

/** The jobs. */
export class JobsStack extends Stack {
  readonly scheduler: JobScheduler;

  constructor(scope: Construct, id: string, { environment, runTable, appTable, ...props }: JobsStackProps) {
    super(scope, id, props);
    const scheduler = new JobScheduler(this, 'Scheduler', {
      environment: environment.name,
      table: runTable,
      defaults: {
        timeout: Duration.minutes(1),
        environment: { APP_TABLE: appTable.tableName },
        ...environment.defaults,
      },
      overrides: environment.jobs,
      logRetention: environment.logRetentionDays,
      roster: 'belfry.roster',
      removalPolicy: environment.protected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.scheduler = scheduler;

    const heartbeat = new ScheduledJob(scheduler, 'heartbeat', {
      description: 'Shows that the machinery turns',
      schedule: '* * * * *',
      timeZone: 'UTC',
      entry: 'lambdas/jobs/heartbeat.ts',
      files: ['lambdas/jobs/heartbeat/components.csv'],
      timeout: Duration.seconds(30),
      // A pulse of a past minute says nothing: a minute without one is missed, not made up for.
      catchUp: { policy: 'none' },
    });

    const invoiceDunning = new ScheduledJob(scheduler, 'invoice-dunning', {
      description: 'Writes one reminder for each overdue invoice',
      schedule: '0 8 * * 1-5',
      timeZone: 'America/New_York',
      entry: 'lambdas/jobs/invoice-dunning.ts',
      files: ['lambdas/jobs/invoice-dunning/invoices.csv'],
      expectedDuration: Duration.seconds(30),
    });

    const dbCleanup = new ScheduledJob(scheduler, 'db-cleanup', {
      description: 'Removes expired rows',
      schedule: '@daily',
      timeZone: 'UTC',
      entry: 'lambdas/jobs/db-cleanup.ts',
      files: ['lambdas/jobs/db-cleanup/sessions.csv'],
    });

    const usageReport = new ScheduledJob(scheduler, 'usage-report', {
      description: 'Adds up what customers used in the hour before',
      schedule: '@hourly',
      timeZone: 'Europe/London',
      entry: 'lambdas/jobs/usage-report.ts',
      files: ['lambdas/jobs/usage-report/usage.csv'],
      // The source takes a while to come back. Too long to wait for and pay: each retry is an invocation of its own.
      retry: { maxAttempts: 3, backoff: 'fixed', initialDelay: Duration.minutes(2) },
    });

    appTable.grant(heartbeat, 'dynamodb:PutItem');
    appTable.grant(invoiceDunning, 'dynamodb:Query', 'dynamodb:PutItem');
    appTable.grant(dbCleanup, 'dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:DeleteItem');
    appTable.grant(usageReport, 'dynamodb:PutItem');
  }
}
