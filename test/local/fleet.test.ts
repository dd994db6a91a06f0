import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A folder with an app whose fleet is spread over two stacks. */
function fleetProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-fleet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const module = (path: string) => JSON.stringify(join(ROOT, path));
  writeFileSync(join(folder, 'cdk.json'), '{ "app": "node app.mjs" }');
  writeFileSync(
    join(folder, 'report.ts'),
    `import { defineJob } from ${module('lambdas/runtime/index.ts')};
    export const handler = defineJob(async (run) => ({ reported: run.jobName }));`,
  );
  writeFileSync(
    join(folder, 'app.mjs'),
    `import { App, Stack } from ${module('node_modules/aws-cdk-lib/core/index.js')};
    import { FleetJob, JobFleet, JobScheduler } from ${module('lib/index.ts')};
    const app = new App({ builtinCloudFormationValidation: false });
    const scheduler = new JobScheduler(new Stack(app, 'Jobs'), 'Scheduler', { environment: 'dev', stacks: 2 });
    const fleet = new JobFleet(scheduler, 'tenant');
    const job = { timeZone: 'UTC', entry: 'report.ts' };
    new FleetJob(fleet, 'acme', { ...job, schedule: '* * * * *' });
    new FleetJob(fleet, 'bolt', { ...job, schedule: '1-59/2 * * * *' });
    new FleetJob(fleet, 'core', { ...job, schedule: '* * * * *', enabled: false });
    app.synth();`,
  );
  return folder;
}

async function dev(folder: string, ...flags: string[]): Promise<Line[]> {
  const child = spawn(process.execPath, [join(ROOT, 'bin/belfry.ts'), 'dev', '--json', ...flags], { cwd: folder });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, stderr).toBe(0);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

test('belfry dev lists the jobs of a fleet and fires each, though they share a function', async () => {
  const flags = ['--from', '2026-10-31T23:00:00Z', '--speed', '3600', '--until', '2026-10-31T23:03:00Z'];
  const lines = await dev(fleetProject(), ...flags);
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
