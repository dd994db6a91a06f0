import { expect, test } from 'vitest';
import { belfry } from '../support/belfry-cli.ts';
import { dev } from '../support/dev-run.ts';
import { createSampleApp } from '../support/sample-app.ts';

interface StoredRun {
  readonly scheduledTime: string;
  readonly status: string;
  readonly trigger?: string;
}

test('after SIGKILL in the middle of a run and a while away, nothing is lost, nothing is doubled, what was missed goes by each policy', async () => {
  using app = createSampleApp();
  const ask = async (...args: string[]) => {
    const { code, stdout, stderr } = await belfry([...args, '--local', '--json'], { cwd: app.path });
    expect(code, `${stdout}${stderr}`).toBe(0);
    return JSON.parse(stdout);
  };
  const runsOf = async (job: string) => (await ask('runs', job, '--limit', '100')).runs as readonly StoredRun[];

  const first = dev(app.path, '--json', '--from', '2026-06-01T21:54:30Z', '--speed', '600');
  await first.until(({ type, scheduledTime }) => type === 'fired' && scheduledTime === '2026-06-01T21:58:00Z');
  first.child.kill('SIGKILL');
  const { lines } = await first.ended;
  const succeeded = lines.filter(({ type, status }) => type === 'run' && status === 'succeeded');
  expect(succeeded.length).toBeGreaterThanOrEqual(3);

  // Away from 21:58 to 22:10: without the hourly report of 22:00, and without twelve beats.
  const until = '2026-06-01T22:25:00Z';
  const second = dev(app.path, '--json', '--from', '2026-06-01T22:10:30Z', '--speed', '600', '--until', until);
  const { code, stderr } = await second.ended;
  expect(code, stderr).toBe(0);

  expect(await ask('verify', '--to', until)).toMatchObject({ proved: true, findings: [] });
  const beats = await runsOf('heartbeat');
  expect(new Set(beats.map(({ scheduledTime }) => scheduledTime)).size).toBe(beats.length);
  const statusAt = (at: string) => beats.find(({ scheduledTime }) => scheduledTime === at)?.status;
  for (const { scheduledTime } of succeeded) expect(statusAt(String(scheduledTime))).toBe('succeeded');
  // A beat of a past minute says nothing: it is missed. The latest report is made up for.
  expect(statusAt('2026-06-01T22:05:00Z')).toBe('missed');
  expect(statusAt('2026-06-01T22:15:00Z')).toBe('succeeded');
  expect(await runsOf('usage-report')).toEqual([
    expect.objectContaining({ scheduledTime: '2026-06-01T22:00:00Z', status: 'succeeded', trigger: 'catchUp' }),
  ]);
});
