import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { processTree } from '../../bench/process-tree.ts';
import { belfry } from '../support/belfry-cli.ts';
import { createFleetProject } from '../support/fleet-project.ts';

const BELFRY = fileURLToPath(new URL('../../bin/belfry.ts', import.meta.url));
const DUE = '2026-11-02T12:00:00Z';

interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Runs `belfry dev` to its end, with the most memory that it and what it starts took at once, megabytes. */
async function runDev(folder: string, ...flags: string[]) {
  const child = spawn(process.execPath, [BELFRY, 'dev', '--json', ...flags], { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr, peak] = ['', '', 0];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const looking = setInterval(() => {
    if (process.platform !== 'linux' || !stdout.includes('"ready"')) return;
    const sum = processTree(child.pid ?? 0).reduce((total, { proportional }) => total + proportional, 0);
    peak = Math.max(peak, sum);
  }, 500);
  const started = performance.now();
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(looking);
  const lines = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  return { code, stderr, lines, peak, seconds: (performance.now() - started) / 1_000 };
}

function declareFleet(count: number): string {
  return `
    for (let number = 0; number < ${count}; number++) {
      new FleetJob(fleet, String(number), { timeZone: 'UTC', entry: 'report.ts', schedule: '0 12 * * *' });
    }
    new Watchdog(new Stack(app, 'Watch'), 'Watchdog', { scheduler });`;
}

function declareSingleJobs(count: number): string {
  return `
    for (let number = 0; number < ${count}; number++) {
      new ScheduledJob(scheduler, 'report-' + number, { timeZone: 'UTC', entry: 'report.ts', schedule: '0 12 * * *' });
    }
    new Watchdog(new Stack(app, 'Watch'), 'Watchdog', { scheduler });`;
}

test.each([
  [1_000, 'that share functions', declareFleet],
  // Each brings a process of its own, and only some are alive at once: what it takes is their starts.
  [100, 'of a function each', declareSingleJobs],
])('%i jobs %s, due in the same minute, all run exactly once', async (count, what, declare) => {
  const project = createFleetProject(declare(count), { stacks: 8 });
  // The watchdog's first sweep is before it: from there on the ledger is to be complete.
  const from = '2026-11-02T11:57:30Z';
  const flags = ['--from', from, '--until', '2026-11-02T12:15:00Z', '--speed', '600'];
  const { code, stderr, lines, peak, seconds } = await runDev(project, ...flags);
  expect(code, stderr).toBe(0);
  const runs = lines.filter(({ type }) => type === 'run');
  expect(new Set(runs.map(({ job }) => job)).size).toBe(count);
  expect(runs.filter(({ status, attempt }) => status !== 'succeeded' || attempt !== 1)).toEqual([]);
  expect(lines.at(-1)).toMatchObject({ type: 'stopped', fired: count, runs: count, missed: 0 });

  const { code: verdict, stdout } = await belfry(['verify', '--local', '--from', '2026-11-02T11:59:30Z', '--json'], {
    cwd: project,
  });
  expect(verdict, stdout).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ proved: true, expected: count, byStatus: { succeeded: count } });
  const last = runs.map(({ at }) => Date.parse(String(at))).reduce((latest, at) => Math.max(latest, at), 0);
  console.log(
    `${count} jobs ${what}: the last ended ${((last - Date.parse(DUE)) / 1_000).toFixed(0)} s after they were due; ${seconds.toFixed(0)} s in all, at most ${peak.toFixed(0)} MB`,
  );
});
