import { expect, test } from 'vitest';
import { parseFaults } from '../../lib/local/faults/fault-settings.ts';
import { belfry } from '../support/belfry-cli.ts';
import { prepareRuntime } from '../support/prepare-runtime.ts';
import { createSampleApp } from '../support/sample-app.ts';

const MINUTE = 60_000;
const HOURS = 6;
const FROM = Date.parse('2026-10-31T21:00:00Z');

test('some hours in which much goes wrong: every occurrence is accounted for, and only what was broken is told of', async () => {
  using app = createSampleApp();
  const { clock, events, runtime } = await prepareRuntime(app.path, {
    from: FROM,
    speed: 100_000,
    faults: parseFaults('duplicate=0.3,drop=0.1,kill=0.1,throttle=0.05', 11),
  });
  const ended = new Promise<void>((resolve) => clock.schedule(FROM + HOURS * 60 * MINUTE, resolve));
  runtime.run();
  await ended;
  await runtime.stop(30_000);

  const missed = events.filter((event) => event.type === 'missed').length;
  expect(missed).toBeGreaterThan(10);
  const rang = new Set(
    events.filter((event) => event.type === 'alarm').flatMap(({ name, state }) => (state === 'ALARM' ? [name] : [])),
  );
  const told = events.flatMap((event) =>
    event.type === 'note' ? (/^published to .*?: \[dev\] (.*)$/.exec(event.text)?.[1] ?? []) : [],
  );
  expect(told.join('\n')).toMatch(/heartbeat missed an occurrence/);
  // Firings are dropped and processes killed, the watchdog's as well; runs are retried, so none fails.
  expect(told.filter((subject) => /fail|timed out|timeout|stuck|too (?:fast|soon|often)/i.test(subject))).toEqual([]);
  for (const name of ['Untold', 'FailureRate', 'Dropped', 'TargetErrors']) {
    expect(rang).not.toContain(`belfry-dev-jobs-${name}`);
  }
  const { code, stdout } = await belfry(['verify', '--local', '--json'], { cwd: app.path });
  expect(JSON.parse(stdout).findings).toEqual([]);
  expect(code).toBe(0);
});
