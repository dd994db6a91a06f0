import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import type { LocalEvent } from '../../lib/local/local-event.ts';
import { LocalRuntime } from '../../lib/local/local-runtime.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MIDNIGHT = Date.parse('2026-11-01T00:00:00Z');
const FIRST_SCHEDULE = (MIDNIGHT / 1000).toString(36);

/**
 * Three jobs, due at midnight, and a watchdog that sweeps at each full minute. `report` and `lost` fail once and are to
 * be tried again ten and a half minutes later; `import` dies in its first attempt.
 */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-wake-ups-'));
  const module = (path: string) => JSON.stringify(join(ROOT, path));
  writeFileSync(join(folder, 'cdk.json'), '{ "app": "node app.mjs" }');
  writeFileSync(
    join(folder, 'flaky.ts'),
    `import { defineJob } from ${module('lambdas/runtime/index.ts')};
    export const handler = defineJob(async (run) => {
      if (run.attempt === 1) throw new Error('not there yet');
    });`,
  );
  writeFileSync(
    join(folder, 'dying.ts'),
    `import { defineJob } from ${module('lambdas/runtime/index.ts')};
    export const handler = defineJob(async (run) => {
      if (run.attempt === 1) process.exit(1);
    });`,
  );
  writeFileSync(
    join(folder, 'app.mjs'),
    `import { App, Duration, Stack } from ${module('node_modules/aws-cdk-lib/core/index.js')};
    import { JobScheduler, ScheduledJob, Watchdog } from ${module('lib/index.ts')};
    const app = new App({ builtinCloudFormationValidation: false });
    const stack = new Stack(app, 'Jobs');
    const scheduler = new JobScheduler(stack, 'Scheduler', {
      environment: 'dev',
      defaults: {
        timeout: Duration.minutes(1),
        retry: { maxAttempts: 2, backoff: 'fixed', initialDelay: Duration.seconds(630) },
      },
    });
    const daily = { schedule: '@daily', timeZone: 'UTC' };
    new ScheduledJob(scheduler, 'report', { ...daily, entry: 'flaky.ts' });
    new ScheduledJob(scheduler, 'lost', { ...daily, entry: 'flaky.ts' });
    new ScheduledJob(scheduler, 'import', { ...daily, entry: 'dying.ts' });
    new Watchdog(stack, 'Watchdog', { scheduler });
    app.synth();`,
  );
  return folder;
}

let folder: string;
let runtime: LocalRuntime;
let scheduler: SchedulerClient;
const clock = new VirtualClock({ from: MIDNIGHT - 1_000, speed: 600 });
const events: LocalEvent[] = [];

/** Attempts that have ended, with when they did. */
function attempts(job: string): { readonly attempt: number; readonly status: string; readonly at: number }[] {
  return events
    .filter((event) => event.type === 'run')
    .filter((event) => event.job === job)
    .map(({ attempt, status, at }) => ({ attempt, status, at: Date.parse(at) - MIDNIGHT }));
}

/** Names of the one-time schedules that there are now. */
async function armed(): Promise<string[]> {
  const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({}));
  return Schedules.map(({ Name = '' }) => Name)
    .filter((name) => !name.startsWith('Jobs'))
    .sort();
}

function log(job: string): string {
  return readFileSync(runtime.inside.logFile(`Jobs_${job}`), 'utf8');
}

beforeAll(async () => {
  folder = project();
  runtime = await LocalRuntime.prepare({
    projectFolder: folder,
    environment: 'dev',
    clock,
    fresh: true,
    suppress: ({ name }) => name.startsWith('lost.'),
    emit: (event) => {
      events.push(event);
      if (event.type === 'ready')
        scheduler = new SchedulerClient({
          endpoint: event.endpoint,
          region: 'us-east-1',
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        });
      // The time stands still until the tests have looked at what the first attempts left.
      const isRetried = event.type === 'run' && event.job !== 'import';
      if (isRetried && attempts('report').length === 1 && attempts('lost').length === 1) clock.pause();
    },
  });
  runtime.run();
});

afterAll(async () => {
  scheduler?.destroy();
  await runtime?.stop(5_000);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

test('a retry that does not fit into the invocation is armed once, whoever else finds the run not due yet', async () => {
  const both = [`lost.${FIRST_SCHEDULE}-r1`, `report.${FIRST_SCHEDULE}-r1`];
  await expect.poll(armed).toEqual(both);
  runtime.inside.deliver('report', { job: 'report', scheduledTime: '2026-11-01T00:00:00Z' });
  await expect.poll(() => log('report')).toContain('"outcome":"early"');
  expect(await armed()).toEqual(both);
  // The console goes on to tell when the job is due.
  expect(runtime.inside.nextFiring('report')).toBe(MIDNIGHT + 86_400_000);
  clock.resume();
});

test('it is made at its second, before the watchdog looks, and its schedule is gone', async () => {
  await expect.poll(() => attempts('report')).toHaveLength(2);
  const [first, second] = attempts('report');
  expect(first).toMatchObject({ attempt: 1, status: 'pending' });
  expect(second).toMatchObject({ attempt: 2, status: 'succeeded' });
  expect(second?.at).toBeGreaterThanOrEqual(630_000);
  expect(second?.at).toBeLessThan(660_000);
  await expect.poll(armed).toEqual([]);
});

test('a run that died is taken up when its lease is over, because the delivery that found it busy armed one', async () => {
  expect(log('import')).toContain('"outcome":"busy"');
  const [second, ...more] = attempts('import');
  expect(second).toMatchObject({ attempt: 2, status: 'succeeded' });
  expect(more).toEqual([]);
  expect(second?.at).toBeGreaterThanOrEqual(68_000);
  expect(second?.at).toBeLessThan(120_000);
});

test('one that is lost is made good by the watchdog', async () => {
  await expect.poll(() => attempts('lost')).toHaveLength(2);
  const [, second] = attempts('lost');
  expect(second).toMatchObject({ attempt: 2, status: 'succeeded' });
  expect(second?.at).toBeGreaterThanOrEqual(660_000);
  expect(second?.at).toBeLessThan(720_000);
});
