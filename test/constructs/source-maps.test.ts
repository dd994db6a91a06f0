import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Stack } from 'aws-cdk-lib/core';
import { expect, onTestFinished, test } from 'vitest';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import type { JobOptions } from '../../lib/constructs/job-options.ts';
import { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { quietApp, SYNTH_TIME } from './scheduler-app.ts';

const FILES = {
  'package.json': '{ "type": "module" }',
  'node_modules/greeting/package.json': '{ "name": "greeting", "type": "module", "main": "index.js" }',
  'node_modules/greeting/index.js':
    "export const [hello, bye] = ['hello', 'bye'];\nexport function shout() {\n  throw new SyntaxError(hello);\n}\n",
  // What it takes from a package is imported in the middle of the bundle.
  'service/refuse.ts': `
import { bye } from 'greeting';
type Who = string;
export async function refuse(who: Who): Promise<void> {
  throw new RangeError(\`\${who} said \${bye}\`);
}`,
  'jobs/failing.ts': `
import { hello } from 'greeting';
import { refuse } from '../service/refuse.ts';
interface Event { readonly job: string }
export const handler = async (event: Event) => {
  if (event.job === hello) return;
  await refuse('the supplier');
};`,
  // What it loads while it runs cannot be told apart: such a bundle is one file, packages too.
  'jobs/whole.ts': `
import { shout } from 'greeting';
export const handler = async () => {
  const { refuse } = await import('../service/refuse.ts');
  const { bye } = await import('greeting');
  return bye === 'bye' ? shout() : refuse('nobody');
};`,
};

/** A project in a folder of this name, synthesised. */
function project({ folder = 'app', defaults = {} }: { folder?: string; defaults?: JobOptions } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'belfry-maps-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const root = join(home, folder);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const app = quietApp(join(home, 'cdk.out'));
  const stack = new Stack(app, 'Jobs');
  const scheduler = new JobScheduler(stack, 'Scheduler', { environment: 'test', root, now: SYNTH_TIME, defaults });
  const daily = { schedule: '@daily', timeZone: 'UTC' };
  new ScheduledJob(scheduler, 'failing', { ...daily, entry: 'jobs/failing.ts' });
  new ScheduledJob(scheduler, 'whole', { ...daily, entry: 'jobs/whole.ts' });
  new FleetJob(new JobFleet(scheduler, 'fleet'), 'failing', { ...daily, entry: 'jobs/failing.ts' });
  const { directory } = app.synth();
  const functions = Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'));
  const functionOf = (job: string) => {
    const found = functions.find(({ Properties }) => String(Properties.FunctionName).endsWith(job));
    const { Code, Environment } = found?.Properties ?? {};
    const asset = String(Code.S3Key).replace('.zip', '');
    return { asset, folder: join(directory, `asset.${asset}`), variables: Environment.Variables };
  };
  return { home, functionOf };
}

/** The stack that Lambda would log, in the environment that the template gives the function. */
function stackOf(deployed: { folder: string; variables: Record<string, string> }, event: object): string {
  const script = `
    const { handler } = await import(${JSON.stringify(join(deployed.folder, 'index.mjs'))});
    await handler(${JSON.stringify(event)}).catch((error) => console.log(error.stack));`;
  const { NODE_OPTIONS = '' } = deployed.variables;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_OPTIONS },
  });
  expect(stderr).toBe('');
  return stdout.replaceAll(deployed.folder, '/var/task');
}

test('a deployed handler names file, line and function of the sources', () => {
  const deployed = project().functionOf('failing');
  expect(readdirSync(deployed.folder).sort()).toEqual([
    'index.mjs',
    'index.mjs.map',
    expect.stringMatching(/^packages-\w+\.mjs$/),
  ]);
  const stack = stackOf(deployed, { job: 'x' });
  expect(stack).toContain('RangeError: the supplier said bye');
  expect(stack).toMatch(/at refuse \((file:\/\/)?\/var\/task\/service\/refuse\.ts:5:9\)/);
  expect(stack).toMatch(/\/var\/task\/jobs\/failing\.ts:7:\d+/);
});

test('so does a bundle of one file, in which packages stay as they are', () => {
  const deployed = project().functionOf('whole');
  expect(readdirSync(deployed.folder).sort()).toEqual(['index.mjs', 'index.mjs.map']);
  const stack = stackOf(deployed, {});
  expect(stack).toMatch(/SyntaxError: hello\n {4}at .*\/index\.mjs:\d+:\d+\)?\n.*\/var\/task\/jobs\/whole\.ts:6:\d+/);
});

test('so does a fleet', () => {
  const deployed = project().functionOf('fleet');
  const map = JSON.parse(readFileSync(join(deployed.folder, 'index.mjs.map'), 'utf8'));
  expect(map.sources).toContain('service/refuse.ts');
  expect(map.sources.join()).not.toMatch(/belfry-entries|greeting/);
});

test('the code is the same wherever it was bundled: a map holds no path of the machine, and no text', () => {
  const one = project({ folder: 'app' });
  const other = project({ folder: 'a/checkout/somewhere/else' });
  for (const job of ['failing', 'whole']) expect(other.functionOf(job).asset).toBe(one.functionOf(job).asset);
  const text = readFileSync(join(one.functionOf('failing').folder, 'index.mjs.map'), 'utf8');
  expect(JSON.parse(text).sources.sort()).toEqual(['jobs/failing.ts', 'service/refuse.ts']);
  expect(text).not.toContain('the supplier');
});

test('a job that says no has neither map nor flag', () => {
  const deployed = project({ defaults: { sourceMaps: false } }).functionOf('failing');
  expect(readdirSync(deployed.folder)).toHaveLength(2);
  expect(readFileSync(join(deployed.folder, 'index.mjs'), 'utf8')).not.toContain('sourceMappingURL');
  expect(deployed.variables).not.toHaveProperty('NODE_OPTIONS');
  expect(stackOf(deployed, {})).toMatch(/\/var\/task\/index\.mjs:\d+:\d+/);
});

test.each([
  ['--max-old-space-size=200', '--max-old-space-size=200 --enable-source-maps'],
  ['--enable-source-maps --trace-warnings', '--enable-source-maps --trace-warnings'],
])('what the job itself tells Node stays: %s', (own, all) => {
  const { functionOf } = project({ defaults: { environment: { NODE_OPTIONS: own } } });
  expect(functionOf('failing').variables.NODE_OPTIONS).toBe(all);
});

test('an image decides for itself', () => {
  const app = quietApp(mkdtempSync(join(tmpdir(), 'belfry-maps-')));
  onTestFinished(() => rmSync(app.outdir, { recursive: true, force: true }));
  const stack = new Stack(app, 'Jobs');
  const scheduler = new JobScheduler(stack, 'Scheduler', { environment: 'test', now: SYNTH_TIME });
  const image = Code.fromEcrImage(Repository.fromRepositoryName(stack, 'Images', 'jobs'), { tagOrDigest: 'v1' });
  const daily = { schedule: '@daily', timeZone: 'UTC' };
  new ScheduledJob(scheduler, 'image', { ...daily, image });
  expect(() => new ScheduledJob(scheduler, 'other', { ...daily, image, sourceMaps: true })).toThrow(
    expect.objectContaining({ code: 'OptionWithoutEffect' }),
  );
  const [resource] = Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'));
  expect(resource?.Properties.Environment.Variables).not.toHaveProperty('NODE_OPTIONS');
});
