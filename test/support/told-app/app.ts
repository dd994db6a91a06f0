/** A CDK app whose jobs fail as they are told to, with everything that tells people and programs of it. */
import { App, Duration, Stack, Stage } from 'aws-cdk-lib/core';
import { AlertTopics, JobScheduler, LifecycleEvents, RunTable, ScheduledJob, Watchdog } from '../../../lib/index.ts';

const app = new App();
const stack = new Stack(new Stage(app, 'dev'), 'all');
const table = new RunTable(stack, 'Runs');
const scheduler = new JobScheduler(stack, 'Scheduler', { environment: 'dev', table });
const entry = 'test/support/told-app/failing.ts';
const retry = { maxAttempts: 2, backoff: 'fixed', initialDelay: Duration.seconds(1) } as const;
for (const name of ['broken', 'flaky']) {
  new ScheduledJob(scheduler, name, { schedule: '*/5 * * * *', timeZone: 'UTC', entry, retry });
}
const topics = new AlertTopics(stack, 'Topics', {});
new Watchdog(stack, 'Watchdog', { scheduler, topics, remindEvery: Duration.minutes(6) });
new LifecycleEvents(stack, 'Lifecycle', { scheduler });
app.synth();
