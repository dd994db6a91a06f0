/**
 * An app with two environments, and under the name of another app the same again with one: `node .ci/together-app.ts
 * <app> <step>`. The first environment differs by step, the second never.
 */

import { App, RemovalPolicy, Stack, Stage } from 'aws-cdk-lib/core';
import {
  AlertTopics,
  EnvironmentDashboard,
  FleetAlarms,
  FleetJob,
  JobFleet,
  JobScheduler,
  LifecycleEvents,
  RunTable,
  ScheduledJob,
  Watchdog,
} from '../lib/index.ts';

const HOURLY = { schedule: '@hourly', timeZone: 'Europe/Berlin', entry: '.ci/ping.ts' };

const [name = 'one', step = 'begin'] = process.argv.slice(2);
const app = new App();
declare('first', step);
if (name === 'one') declare('second', 'begin');
app.synth();

function declare(environment: string, now: string): void {
  const stage = new Stage(app, environment);
  // The tables are what stacks refer to across their borders: they must not go while somebody uses them.
  stage.node.setContext('@aws-cdk/core:defaultCrossStackReferences', 'strong');
  const stack = (part: string) => new Stack(stage, part, { stackName: `${name}-${environment}-${part}` });
  const table = new RunTable(stack('state'), 'Runs', { removalPolicy: RemovalPolicy.DESTROY });
  const scheduler = new JobScheduler(stack('jobs'), 'Scheduler', { environment, table });
  new ScheduledJob(scheduler, 'ping', HOURLY);
  const fleet = new JobFleet(scheduler, 'fleet');
  new FleetJob(fleet, 'one', HOURLY);
  if (now === 'begin') {
    new ScheduledJob(scheduler, 'former', HOURLY);
    new ScheduledJob(scheduler, 'gone', HOURLY);
  } else {
    new ScheduledJob(scheduler, 'renamed', { ...HOURLY, renamedFrom: 'former' });
    new ScheduledJob(scheduler, 'added', HOURLY);
    new FleetJob(fleet, 'two', HOURLY);
  }
  const watch = stack('watch');
  const topics = new AlertTopics(watch, 'Topics');
  new Watchdog(watch, 'Watchdog', { scheduler, topics });
  const { alarms } = new FleetAlarms(watch, 'Alarms', { scheduler, topics });
  new EnvironmentDashboard(watch, 'Overview', { scheduler, alarms });
  if (now !== 'without-events') new LifecycleEvents(watch, 'Lifecycle', { scheduler });
}
