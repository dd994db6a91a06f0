import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkRoster } from '../../lib/constructs/roster.ts';
import type { ListedJob } from '../../lib/constructs/rules/roster-rules.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { schedulerApp } from './scheduler-app.ts';

vi.mock('node:fs', { spy: true });

const DAILY = { schedule: '@daily', timeZone: 'UTC', entry: 'job.ts' };

beforeEach(() => void vi.stubEnv('CI', ''));
afterEach(() => void vi.unstubAllEnvs());

/** An app with jobs of these names, some with the name that they had before, and what its roster said. */
function withRoster(before: string | undefined, jobs: Readonly<Record<string, string | undefined>>) {
  const { app, root, scheduler } = schedulerApp({ roster: 'belfry.roster' });
  const file = join(root, 'belfry.roster');
  if (before !== undefined) writeFileSync(file, before);
  for (const [name, renamedFrom] of Object.entries(jobs)) {
    new ScheduledJob(scheduler, name, { ...DAILY, ...(renamedFrom === undefined ? {} : { renamedFrom }) });
  }
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
  return { synth: () => void app.synth(), lines, file };
}

test('the first synth writes it', () => {
  const { synth, lines } = withRoster(undefined, { dunning: undefined, cleanup: undefined });
  synth();
  expect(lines()).toEqual(['cleanup: belfry-test', 'dunning: belfry-test']);
});

test('a new job is added, beside what other schedulers have', () => {
  const before = '# ours\ncleanup: belfry-prod\ndunning: belfry-prod belfry-test\n';
  const { synth, lines } = withRoster(before, { dunning: undefined, cleanup: undefined });
  synth();
  expect(lines()).toEqual(['cleanup: belfry-prod belfry-test', 'dunning: belfry-prod belfry-test']);
});

test('it stays as it is when nothing is new', () => {
  const before = '# ours\r\ndunning:belfry-test\r\n';
  const { synth, file } = withRoster(before, { dunning: undefined });
  synth();
  expect(readFileSync(file, 'utf8')).toBe(before);
});

describe('a number of stacks', () => {
  const synthWith = (stacks: number, before: string, prefix = 'app') => {
    const { app, root, scheduler } = schedulerApp({ roster: 'belfry.roster', stacks, prefix });
    const file = join(root, 'belfry.roster');
    writeFileSync(file, before);
    new ScheduledJob(scheduler, 'dunning', DAILY);
    app.synth();
    return readFileSync(file, 'utf8').replaceAll(/^#.*\n/gm, '');
  };

  test('is remembered, and another one is refused: jobs would move while the old stacks have their names', () => {
    const before = synthWith(3, '');
    expect(before).toBe('.stacks: app=3\ndunning: app\n');
    expect(synthWith(3, before)).toBe(before);
    expect(() => synthWith(5, before)).toThrow(/StacksChanged: stacks of app is 5, and .* says 3: .* another prefix/);
    expect(() => synthWith(1, before)).toThrow(/StacksChanged/);
  });

  test('may be another with another prefix, whose functions are made beside the old ones', () => {
    expect(synthWith(5, '.stacks: app=3\ndunning: app\n', 'app2')).toBe('.stacks: app2=5 app=3\ndunning: app app2\n');
  });

  test('may be raised from one: the one stack lets go of its jobs before the others are made', () => {
    expect(synthWith(4, 'dunning: app\n')).toBe('.stacks: app=4\ndunning: app\n');
  });
});

describe('a job that is gone', () => {
  test('was renamed without a word: an error that says what to write, and where', () => {
    const before = 'dunning: belfry-test\n';
    const { synth, file } = withRoster(before, { 'invoice-dunning': undefined });
    expect(synth).toThrow(
      /JobGone: job 'dunning' .* one of the new ones, invoice-dunning\?\), say renamedFrom: 'dunning' there; .* take its line out/,
    );
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('and says what it is called now is listed under that name', () => {
    const { synth, lines } = withRoster('dunning: belfry-prod belfry-test\n', { 'invoice-dunning': 'dunning' });
    synth();
    expect(lines()).toEqual(['dunning: belfry-prod', 'invoice-dunning: belfry-test']);
  });

  test('from another scheduler is nothing to this one', () => {
    const { synth } = withRoster('cleanup: belfry-prod\ndunning: belfry-test\n', { dunning: undefined });
    expect(synth).not.toThrow();
  });
});

describe('in a build', () => {
  beforeEach(() => void vi.stubEnv('CI', 'true'));

  test('nothing is written, and a job that is not listed is an error', () => {
    const { synth, file } = withRoster(undefined, { dunning: undefined });
    expect(synth).toThrow(
      /JobNotListed: .*belfry\.roster does not list dunning of belfry-test: run cdk synth where CI is not set/,
    );
    expect(existsSync(file)).toBe(false);
  });

  test('the jobs of the list are no fault', () => {
    const { synth } = withRoster('dunning: belfry-test\n', { dunning: undefined });
    expect(synth).not.toThrow();
  });
});

describe('a checkout that cannot be written', () => {
  const synthesise = (file: string, jobs: readonly ListedJob[]) =>
    checkRoster({ file, scheduler: 'belfry-test', newJobs: 'list' }, jobs);
  /** A roster that says this, which nobody may write. */
  const readOnly = (text: string) => {
    const { file } = withRoster(text, {});
    vi.mocked(writeFileSync).mockImplementation(() => {
      throw new Error('EROFS: read-only file system');
    });
    return file;
  };
  afterEach(() => void vi.mocked(writeFileSync).mockReset());

  test('is no fault while no job has to be added', () => {
    const file = readOnly('dunning: belfry-test\ninvoice-dunning: belfry-test\n');
    expect(synthesise(file, [{ name: 'dunning' }, { name: 'invoice-dunning' }])).toEqual([]);
    expect(synthesise(file, [{ name: 'invoice-dunning', renamedFrom: 'dunning' }])).toEqual([]);
  });

  test('is said when one has to be, with what to do', () => {
    const file = readOnly('dunning: belfry-test\n');
    expect(synthesise(file, [{ name: 'dunning' }, { name: 'cleanup' }])).toEqual([
      `JobNotListed: ${file} does not list cleanup of belfry-test and cannot be written (EROFS: read-only file system): run cdk synth where it can be, which adds them, and commit the file`,
    ]);
  });
});

describe('in a run on this machine', () => {
  beforeEach(() => void vi.stubEnv('BELFRY_LOCAL', 'true'));

  test.each(['', 'true'])('a job that is not listed is neither written nor refused, with CI=%s', (build) => {
    vi.stubEnv('CI', build);
    const { synth, file } = withRoster(undefined, { dunning: undefined });
    expect(synth).not.toThrow();
    expect(existsSync(file)).toBe(false);
  });

  test('a job that is gone is an error all the same', () => {
    const { synth } = withRoster('dunning: belfry-test\n', { 'invoice-dunning': undefined });
    expect(synth).toThrow(/JobGone: job 'dunning'/);
  });
});
