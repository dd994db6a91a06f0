import { expect, test } from 'vitest';
import { DeployedManifest } from '../../lambdas/watchdog/deployed-manifest.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { manifestInput } from '../support/manifest-input.ts';

const partOf = (...jobs: JobDefinition[]) =>
  manifestInput({
    version: 1,
    jobs,
    functions: Object.fromEntries(jobs.map(({ name }) => [name, `fn-${name}`])),
    awsSchedules: {},
  });

/** Two stacks of jobs, whose parts of the manifest are in the test's hands. */
function deployed() {
  const inputs = new Map([
    ['jobs.manifest-00', partOf(jobDefinition({ name: 'zeta' }))],
    ['jobs.manifest-01', partOf(jobDefinition({ name: 'alpha' }))],
  ]);
  const looked: string[] = [];
  const manifest = new DeployedManifest({
    environment: 'test',
    scheduler: 'jobs',
    jobsStacks: 'test/jobs*',
    stacks: 2,
    look: async (name) => {
      looked.push(name);
      const input = inputs.get(name);
      if (input === undefined) return { name };
      return { name, found: { expression: '', timeZone: 'UTC', isEnabled: false, target: '', input } };
    },
  });
  return { inputs, looked, manifest };
}

const namesIn = async (manifest: DeployedManifest) => (await manifest.read()).jobs.map(({ entry }) => entry.name);

test('the parts of all stacks are one manifest, whatever job is where', async () => {
  const { inputs, manifest } = deployed();
  expect(await namesIn(manifest)).toEqual(['alpha', 'zeta']);
  const { digest, functions, environment, scheduler, jobsStacks } = await manifest.read();
  expect({ functions, environment, scheduler, jobsStacks }).toEqual({
    functions: { alpha: 'fn-alpha', zeta: 'fn-zeta' },
    environment: 'test',
    scheduler: 'jobs',
    jobsStacks: 'test/jobs*',
  });
  inputs.set('jobs.manifest-00', partOf(jobDefinition({ name: 'zeta' }), jobDefinition({ name: 'alpha' })));
  inputs.set('jobs.manifest-01', partOf());
  expect((await manifest.read()).digest).toBe(digest);
});

test('says which jobs have no metric under their own names', async () => {
  const { inputs, manifest } = deployed();
  inputs.set(
    'jobs.manifest-00',
    partOf(jobDefinition({ name: 'zeta', metrics: 'scheduler' }), jobDefinition({ name: 'eta' })),
  );
  expect((await manifest.read()).together).toEqual(new Set(['zeta']));
});

test('a deployment is seen by the next sweep; without one nothing is parsed again', async () => {
  const { inputs, looked, manifest } = deployed();
  const before = await manifest.read();
  expect(await manifest.read()).toBe(before);
  expect(looked).toEqual(['jobs.manifest-00', 'jobs.manifest-01', 'jobs.manifest-00', 'jobs.manifest-01']);
  inputs.set('jobs.manifest-01', partOf(jobDefinition({ name: 'alpha' }), jobDefinition({ name: 'beta' })));
  expect(await namesIn(manifest)).toEqual(['alpha', 'beta', 'zeta']);
});

test('a part that is gone, or that is none, ends the sweep: its jobs do not count as removed', async () => {
  const { inputs, manifest } = deployed();
  await manifest.read();
  inputs.delete('jobs.manifest-01');
  await expect(manifest.read()).rejects.toMatchObject({ code: 'ManifestGone' });
  inputs.set('jobs.manifest-01', '{"job":"alpha"}');
  await expect(manifest.read()).rejects.toMatchObject({ code: 'UnreadableManifest' });
  inputs.set('jobs.manifest-01', manifestInput({ version: 2, jobs: [] }));
  await expect(manifest.read()).rejects.toThrow(/the manifest has version 2, this release of cdk-belfry reads up to 1/);
  inputs.set('jobs.manifest-01', partOf(jobDefinition({ name: 'alpha' })));
  expect(await namesIn(manifest)).toEqual(['alpha', 'zeta']);
});
