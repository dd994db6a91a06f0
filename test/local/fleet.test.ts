import { expect, test } from 'vitest';
import { belfry } from '../support/belfry-cli.ts';
import { createFleetProject } from '../support/fleet-project.ts';

interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

test('belfry dev lists the jobs of a fleet and fires each, though they share a function', async () => {
  const project = createFleetProject(`
    const job = { timeZone: 'UTC', entry: 'report.ts' };
    new FleetJob(fleet, 'acme', { ...job, schedule: '* * * * *' });
    new FleetJob(fleet, 'bolt', { ...job, schedule: '1-59/2 * * * *' });
    new FleetJob(fleet, 'core', { ...job, schedule: '* * * * *', enabled: false });`);
  const flags = ['--from', '2026-10-31T23:00:00Z', '--speed', '3600', '--until', '2026-10-31T23:03:00Z'];
  const { code, stdout, stderr } = await belfry(['dev', '--json', ...flags], { cwd: project });
  expect(code, stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect(lines[0]).toMatchObject({
    type: 'ready',
    jobs: [
      { name: 'tenant-acme', schedule: '* * * * *', next: '2026-10-31T23:00:00Z' },
      { name: 'tenant-bolt', schedule: '1-59/2 * * * *', next: '2026-10-31T23:01:00Z' },
      { name: 'tenant-core', schedule: '* * * * *' },
    ],
  });
  const of = (type: string) =>
    lines.filter((line) => line.type === type).map(({ job, scheduledTime }) => `${job} ${scheduledTime}`);
  const due = [
    'tenant-acme 2026-10-31T23:00:00Z',
    'tenant-acme 2026-10-31T23:01:00Z',
    'tenant-acme 2026-10-31T23:02:00Z',
    'tenant-bolt 2026-10-31T23:01:00Z',
  ];
  expect(of('fired').sort()).toEqual(due);
  expect(of('run').sort()).toEqual(due);
  expect(lines.filter(({ status }) => status === 'succeeded')).toHaveLength(4);
});
