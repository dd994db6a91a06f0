import { expect, test } from 'vitest';
import { belfry } from '../support/belfry-cli.ts';

const RANGE = ['--from', '2026-10-31T00:00Z', '--to', '2026-11-02T00:00Z'];

interface Answer {
  readonly jobs: readonly { readonly job: string; readonly succeeded: number; readonly missed: number }[];
  readonly timeline: readonly { readonly job: string; readonly scheduledTime: string; readonly status: string }[];
}

test('the sample app through an outage, as JSON', async () => {
  const outage = ['--outage', '2026-11-01T02:00Z/2026-11-01T06:00Z'];
  const { code, stdout, stderr } = await belfry(['simulate', ...RANGE, ...outage, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { jobs, timeline } = JSON.parse(stdout) as Answer;
  expect(jobs.map(({ job, succeeded, missed }) => [job, succeeded, missed])).toEqual([
    ['db-cleanup', 2, 0],
    ['heartbeat', 2 * 1440 - 240, 240],
    ['invoice-dunning', 0, 0],
    ['usage-report', 45, 3],
  ]);
  expect(timeline.filter(({ job }) => job === 'usage-report').slice(25, 31)).toMatchObject([
    { scheduledTime: '2026-11-01T02:00:00Z', status: 'missed', cause: 'outage', deliveredBy: 'nobody' },
    { scheduledTime: '2026-11-01T03:00:00Z', status: 'missed' },
    { scheduledTime: '2026-11-01T04:00:00Z', status: 'missed' },
    { scheduledTime: '2026-11-01T05:00:00Z', status: 'succeeded', startedAt: '2026-11-01T06:00:00.000Z' },
    { scheduledTime: '2026-11-01T06:00:00Z', status: 'succeeded', deliveredBy: 'scheduler' },
    { scheduledTime: '2026-11-01T07:00:00Z', status: 'succeeded' },
  ]);
});

test('for people: one line for many of a kind', async () => {
  const { stdout } = await belfry(['simulate', ...RANGE, '--job', 'heartbeat', '--duration', '90s']);
  expect(stdout).toMatch(/heartbeat +│ UTC +│ skip +│ +1,440 │ +│ +1,440 │/);
  expect(stdout).toContain('heartbeat  skipped: the run before is still going, 1,440 times');
  expect(stdout.split('\n').length).toBeLessThan(10);
});

test.each([
  [['--from', '2026-11-02T00:00Z', '--to', '2026-11-01T00:00Z'], 'is not before --to'],
  [[...RANGE, '--job', 'nightly'], "there is no job 'nightly' in dev: known are db-cleanup, heartbeat"],
  [['--outage', '2026-11-01T06:00Z/2026-11-01T02:00Z'], 'Give two instants, the earlier first'],
  [
    ['--outage', '2026-11-01T02:00Z/2026-11-01T06:00Z', '--outage', '2026-11-01T05:00Z/2026-11-01T07:00Z'],
    'two outages overlap at 2026-11-01T05:00:00.000Z',
  ],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await belfry(['simulate', ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('an environment that the app does not have is wrong input, told in the app’s words in one line', async () => {
  const { code, stdout, stderr } = await belfry(['simulate', ...RANGE, '--environment', 'qa']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe('belfry simulate: the app says: there is no environment "qa": known are dev, staging, prod\n');
});
