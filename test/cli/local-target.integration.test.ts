import { expect, test } from 'vitest';
import { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import { LocalRuntime } from '../../lib/local/local-runtime.ts';
import { belfry } from '../support/belfry-cli.ts';
import { createSampleApp } from '../support/sample-app.ts';

const MINUTE = 60_000;
const FROM = Date.parse('2026-06-01T12:10:00Z');

const json = async (cwd: string, ...args: string[]) => {
  const { code, stdout, stderr } = await belfry([...args, '--local', '--json'], { cwd });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

test('now is what the clock shows, or showed at the end, although the watchdog here is weeks behind', async () => {
  using app = createSampleApp();
  const start = async (from: number) => {
    const clock = new VirtualClock({ from, speed: 2_000 });
    const runtime = await LocalRuntime.prepare({
      projectFolder: app.path,
      environment: 'dev',
      clock,
      fresh: false,
      emit: () => {},
    });
    return { clock, runtime };
  };
  const first = await start(FROM);
  await new Promise<void>((resolve) => {
    first.clock.schedule(FROM + 3 * MINUTE, resolve);
    first.runtime.run();
  });
  await first.runtime.stop(10_000);

  const later = FROM + 20 * 24 * 60 * MINUTE;
  const { clock, runtime } = await start(later);
  clock.pause();
  runtime.run();
  const due = async () => {
    const { jobs } = await json(app.path, 'jobs');
    return (jobs as { name: string; next: string }[]).find(({ name }) => name === 'heartbeat')?.next;
  };
  const next = new Date(later + MINUTE).toISOString().replace('.000', '');
  expect(await due()).toBe(next);
  const range = ['--from', '2026-06-20T12:00:00Z', '--to', '2026-06-20T12:02:00Z'];
  expect((await json(app.path, 'backfill', 'heartbeat', ...range)).asked).toHaveLength(3);
  expect((await belfry(['verify', '--local'], { cwd: app.path })).code, 'up to where the watchdog looked').toBe(0);
  await runtime.stop(10_000);
  expect(await due()).toBe(next);
});

test('--local looks at the runtime that runs here, and at what it left behind', async () => {
  using app = createSampleApp();
  const before = await belfry(['jobs', '--local'], { cwd: app.path });
  expect(before.code).toBe(2);
  expect(before.stderr).toContain("start it with 'belfry dev --environment dev'");

  const clock = new VirtualClock({ from: FROM, speed: 2_000 });
  const runtime = await LocalRuntime.prepare({
    projectFolder: app.path,
    environment: 'dev',
    clock,
    fresh: true,
    emit: () => {},
  });
  await new Promise<void>((resolve) => {
    clock.schedule(FROM + 20 * MINUTE, resolve);
    runtime.run();
  });
  // Asked for, it runs: also at the pace of a virtual clock, and while its job is paused.
  const paused = await json(app.path, 'pause', 'db-cleanup', '--note', 'restoring a backup', '--by', 'ann');
  expect(paused).toMatchObject({ paused: true, by: 'ann' });
  const { scheduledTime } = await json(app.path, 'trigger', 'db-cleanup', '--by', 'ann');
  await expect
    .poll(async () => (await json(app.path, 'run', 'db-cleanup', scheduledTime)).status, { timeout: 20_000 })
    .toBe('succeeded');
  const past = ['--from', '2026-06-01T11:00:00Z', '--to', '2026-06-01T11:05:00Z'];
  const { asked } = await json(app.path, 'backfill', 'heartbeat', ...past);
  expect(asked.length).toBeGreaterThan(0);
  await expect
    .poll(async () => (await json(app.path, 'run', 'heartbeat', asked.at(-1))).status, { timeout: 20_000 })
    .toBe('succeeded');

  const running = await belfry(['verify', '--local', '--json'], { cwd: app.path });
  await runtime.stop(10_000);
  expect([running.code, running.stderr]).toEqual([0, '']);
  expect(JSON.parse(running.stdout).expected).toBeGreaterThan(10);

  const stopped = await belfry(['runs', 'heartbeat', '--local', '--json', '--limit', '5'], { cwd: app.path });
  expect(stopped.code).toBe(0);
  expect(JSON.parse(stopped.stdout).runs).toHaveLength(5);

  const resumed = await json(app.path, 'resume', 'db-cleanup', '--by', 'bob');
  expect(resumed.pause).toMatchObject({ by: 'ann', note: 'restoring a backup' });
  const notRunning = await belfry(['trigger', 'heartbeat', '--local'], { cwd: app.path });
  expect(notRunning.code).toBe(2);
  expect(notRunning.stderr).toContain("start it with 'belfry dev --environment dev'");
  const { jobs } = await json(app.path, 'jobs');
  const { next } = (jobs as { name: string; next: string }[]).find(({ name }) => name === 'heartbeat') ?? {};
  expect(await json(app.path, 'skip', 'heartbeat', next ?? '')).toMatchObject({ status: 'skipped' });
});
