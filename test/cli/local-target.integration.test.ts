import { expect, test } from 'vitest';
import { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import { LocalRuntime } from '../../lib/local/local-runtime.ts';
import { belfry } from '../support/belfry-cli.ts';
import { createSampleApp } from '../support/sample-app.ts';

const MINUTE = 60_000;
const FROM = Date.parse('2026-06-01T12:10:00Z');

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
  const running = await belfry(['verify', '--local', '--json'], { cwd: app.path });
  await runtime.stop(10_000);
  expect([running.code, running.stderr]).toEqual([0, '']);
  expect(JSON.parse(running.stdout).expected).toBeGreaterThan(10);

  const stopped = await belfry(['runs', 'heartbeat', '--local', '--json', '--limit', '5'], { cwd: app.path });
  expect(stopped.code).toBe(0);
  expect(JSON.parse(stopped.stdout).runs).toHaveLength(5);
});
