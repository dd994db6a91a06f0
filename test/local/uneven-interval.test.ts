import { expect, test } from 'vitest';
import { belfry } from '../support/belfry-cli.ts';
import { createFleetProject } from '../support/fleet-project.ts';

interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

test('belfry dev fires an interval that does not divide the day at its own instants only, as deployed', async () => {
  const project = createFleetProject(`
    new FleetJob(fleet, 'acme', { schedule: ['@every 7m', '30 23 * * *'], timeZone: 'UTC', entry: 'report.ts' });
    new Watchdog(scheduler, 'Watchdog', { scheduler });`);
  const flags = ['--from', '2026-10-31T23:11:00Z', '--speed', '3600', '--until', '2026-10-31T23:31:00Z'];
  const { code, stdout, stderr } = await belfry(['dev', '--json', ...flags], { cwd: project });
  expect(code, stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const due = ['2026-10-31T23:17:00Z', '2026-10-31T23:24:00Z', '2026-10-31T23:30:00Z'];
  expect(lines[0]).toMatchObject({ type: 'ready', jobs: [{ name: 'tenant-acme', next: due[0] }] });
  const of = (type: string) => lines.filter((line) => line.type === type).map(({ scheduledTime }) => scheduledTime);
  expect(of('fired')).toEqual(due);
  expect(of('run')).toEqual(due);
  expect(lines.at(-1)).toMatchObject({ type: 'stopped', fired: 3, runs: 3, missed: 0 });
});
