/** An app with all that a scheduler can have, once for each partition of AWS and for a second Region: what cfn-lint looks at. */

import { type IVpc, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Architecture, Code, Function as LambdaFunction, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { App, Duration, RemovalPolicy, Stack, Stage } from 'aws-cdk-lib/core';
import {
  AlertTopics,
  EnvironmentDashboard,
  FleetAlarms,
  FleetJob,
  JobAlarms,
  JobFleet,
  JobScheduler,
  LifecycleEvents,
  Maintenance,
  RunTable,
  ScheduledJob,
  Watchdog,
} from '../lib/index.ts';

const REGIONS = ['us-east-1', 'eu-central-1', 'cn-north-1', 'us-gov-west-1'];
const ENTRY = 'lambdas/jobs/usage-report.ts';
const WINDOWS = [{ begins: '0 3 * * 0', timeZone: 'Europe/Berlin', lasts: Duration.hours(2) }];
const HOURLY = { schedule: '@hourly', timeZone: 'Europe/Berlin' };

const app = new App();
for (const region of REGIONS) declare(new Stage(app, region, { env: { region } }));
app.synth();

function declare(stage: Stage): void {
  // The tables are what stacks refer to across their borders: they must not go while somebody uses them.
  stage.node.setContext('@aws-cdk/core:defaultCrossStackReferences', 'strong');
  const state = new Stack(stage, 'state', { stackName: 'large-state' });
  const key = new Key(state, 'Key', { enableKeyRotation: true });
  const vpc = new Vpc(state, 'Network', { maxAzs: 2, natGateways: 1 }) as IVpc;
  const table = new RunTable(state, 'Runs', { encryptionKey: key, removalPolicy: RemovalPolicy.DESTROY });

  const stack = new Stack(stage, 'jobs', { stackName: 'large-jobs' });
  const scheduler = new JobScheduler(stack, 'Scheduler', {
    environment: 'large',
    table,
    encryptionKey: key,
    stacks: 3,
    defaults: { timeout: Duration.minutes(2) },
  });
  for (let number = 0; number < 12; number++) {
    new ScheduledJob(scheduler, `own-${number}`, {
      ...HOURLY,
      entry: ENTRY,
      ...(number % 3 === 0 ? { schedule: ['0 8 1 * 1', '@every 7m'] } : {}),
      failedAlarm: number % 6 === 0,
    });
  }
  const fleet = new JobFleet(scheduler, 'tenants');
  for (let number = 0; number < 20; number++) new FleetJob(fleet, `t${number}`, { ...HOURLY, entry: ENTRY });

  const layers = [
    new LayerVersion(state, 'Layer', {
      code: Code.fromAsset('lambdas/jobs/heartbeat'),
      compatibleRuntimes: [Runtime.NODEJS_24_X],
    }),
  ];
  const securityGroups = [new SecurityGroup(state, 'Group', { vpc })];
  const inside = new ScheduledJob(scheduler, 'inside', { ...HOURLY, entry: ENTRY, vpc, securityGroups, layers });
  const images = Repository.fromRepositoryName(state, 'Images', 'jobs');
  new ScheduledJob(scheduler, 'image', {
    ...HOURLY,
    image: Code.fromEcrImage(images, { tagOrDigest: 'v1' }),
    architecture: Architecture.X86_64,
  });
  const adopted = new LambdaFunction(stack, 'Adopted', {
    functionName: 'large-adopted',
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {}'),
    timeout: Duration.minutes(1),
  });
  new ScheduledJob(scheduler, 'adopted', { ...HOURLY, function: adopted });

  const watch = new Stack(stage, 'watch', { stackName: 'large-watch' });
  const topics = new AlertTopics(state, 'Topics', { encryptionKey: key, subscriptions: { page: ['ops@example.com'] } });
  new Watchdog(watch, 'Watchdog', { scheduler, topics, maintenance: WINDOWS });
  new LifecycleEvents(watch, 'Lifecycle', { scheduler });
  const { alarms } = new FleetAlarms(watch, 'Alarms', { scheduler, topics });
  new JobAlarms(inside, 'Alarms', { job: inside.name, scheduler, topics });
  new Maintenance(watch, 'Maintenance', {
    alarms,
    windows: WINDOWS,
    prefix: scheduler.prefix,
  });
  new EnvironmentDashboard(watch, 'Overview', { scheduler, alarms });
}
