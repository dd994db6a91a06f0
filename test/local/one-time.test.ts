import { expect, test } from 'vitest';
import { belfry } from '../support/belfry-cli.ts';
import { createFleetProject } from '../support/fleet-project.ts';

test('belfry dev fires a time that has passed for AWS and not on its own clock', async () => {
  const project = createFleetProject(`
    new FleetJob(fleet, 'acme', { schedule: 'at(2020-10-31T23:02:00)', timeZone: 'UTC', entry: 'report.ts' });`);
  const flags = ['--from', '2020-10-31T23:00:00Z', '--speed', '3600', '--until', '2020-10-31T23:04:00Z'];
  const { code, stdout, stderr } = await belfry(['dev', '--json', ...flags], { cwd: project });
  expect(code, stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ type: 'ready', jobs: [{ name: 'tenant-acme', next: '2020-10-31T23:02:00Z' }] });
  expect(lines.filter(({ type }) => type === 'run')).toMatchObject([
    { scheduledTime: '2020-10-31T23:02:00Z', status: 'succeeded' },
  ]);
});
