import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { belfry } from '../support/belfry-cli.ts';
import { eventually } from '../support/eventually.ts';
import { createFleetProject } from '../support/fleet-project.ts';
import { prepareRuntime } from '../support/prepare-runtime.ts';

const FROM = Date.parse('2026-06-01T12:10:00Z');

test('an event that Lambda gave up here is listed, and told of when it is to be delivered too late', async () => {
  const job =
    "new ScheduledJob(scheduler, 'broken', { schedule: '@hourly', timeZone: 'UTC', entry: 'jobs/broken.ts', catchUp: { policy: 'none' } }); new Watchdog(scheduler, 'Watchdog', { scheduler });";
  const folder = createFleetProject(job, { stacks: 1 });
  const file = join(folder, 'jobs/broken.ts');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "throw new Error('no settings');\nexport const handler = async () => 1;\n");
  const { runtime } = await prepareRuntime(folder, { from: FROM, speed: 500 });
  runtime.run();
  onTestFinished(() => runtime.stop(10_000));
  const ask = async (...args: string[]) => {
    const { code, stdout, stderr } = await belfry(['dead-letters', ...args, '--local', '--json'], { cwd: folder });
    expect(stderr).toBe('');
    return { code, ...(JSON.parse(stdout) as Record<string, unknown>) };
  };
  await eventually(async () => {
    expect(await ask()).toMatchObject({
      code: 0,
      deadLetters: expect.arrayContaining([
        expect.objectContaining({ job: 'broken', from: 'function', why: expect.stringContaining('no settings') }),
      ]),
    });
  });
  // The watchdog has recorded it as missed by now: nothing is left to do, and the way on is told.
  expect(await ask('deliver', 'broken')).toMatchObject({
    code: 0,
    outcomes: expect.arrayContaining([
      expect.objectContaining({ became: 'discarded', why: expect.stringContaining('missed already') }),
    ]),
  });
});
