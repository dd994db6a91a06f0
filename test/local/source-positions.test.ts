import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { placeIn, SourcePositions } from '../../lib/local/source-positions.ts';
import { eventually } from '../support/eventually.ts';
import { createFleetProject } from '../support/fleet-project.ts';
import { prepareRuntime } from '../support/prepare-runtime.ts';

const RUNTIME = join(import.meta.dirname, '../../lambdas/runtime/index.ts');
const FILES = {
  'package.json': '{ "type": "module" }',
  'node_modules/greeting/package.json': '{ "name": "greeting", "type": "module", "main": "index.js" }',
  'node_modules/greeting/index.js': "export const [hello, bye] = ['hello', 'bye'];",
  'jobs/broken.ts': `
import { defineJob } from '${RUNTIME}';
const settings: { limits?: number[] } = {};
const first = settings.limits!.length;
export const handler = defineJob(async () => ({ first }));`,
  'jobs/failing.ts': `
import { hello } from 'greeting';
import { defineJob } from '${RUNTIME}';
import { refuse } from '../service/refuse.ts';
export const handler = defineJob(async () => {
  console.error(new Error(hello));
  await refuse('the supplier');
});`,
  // What it takes from a package is imported in the middle of the bundle.
  'service/refuse.ts': `
import { bye } from 'greeting';
type Who = string;
export async function refuse(who: Who): Promise<void> {
  throw new RangeError(\`\${who} said \${bye}\`);
}`,
};

/** An app with a job that does not load and one that fails, running. */
async function runningApp() {
  const job = (name: string) =>
    `new ScheduledJob(scheduler, '${name}', { schedule: '@yearly', timeZone: 'UTC', entry: 'jobs/${name}.ts', retry: { maxAttempts: 1 } });`;
  const folder = createFleetProject(`${job('broken')} ${job('failing')}`, { stacks: 1 });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { events, runtime } = await prepareRuntime(folder);
  runtime.run();
  onTestFinished(() => runtime.stop(5_000));
  const endpoint = events.find((event) => event.type === 'ready')?.endpoint ?? '';
  const start = async (name: string) => {
    const url = `${endpoint}/2015-03-31/functions/Jobs_${name}/invocations`;
    const body = JSON.stringify({ job: name, scheduledTime: '2026-01-01T00:00:00Z', trigger: 'manual' });
    await fetch(url, { method: 'POST', headers: { 'x-amz-invocation-type': 'Event' }, body });
  };
  const log = (name: string) => readFileSync(runtime.inside.logFile(`Jobs_${name}`), 'utf8');
  return { start, events, log };
}

test('errors are told with where in the sources they were thrown, while the code loads and when it runs', async () => {
  const { start, events, log } = await runningApp();
  await start('broken');
  await eventually(() => {
    const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
    expect(notes.join('\n')).toMatch(/broken does not load .* \(reading 'length'\) \(jobs\/broken\.ts:4\)/);
  });
  await start('failing');
  await eventually(() => {
    const [run] = events.filter((event) => event.type === 'run');
    expect(run).toMatchObject({ status: 'failed', error: 'RangeError: the supplier said bye (service/refuse.ts:5)' });
  });
  await eventually(() => expect(log('failing')).toMatch(/Error: hello\s.*jobs\/failing\.ts:6:17/s));
  await eventually(() => expect(log('failing')).toMatch(/at \w+ \(service\/refuse\.ts:5:9\)/));
  expect(log('broken')).toContain('at jobs/broken.ts:4:');
});

test('what is in no bundle of ours, or is not there any more, stays as it is', () => {
  const positions = new SourcePositions('/app');
  for (const text of ['hello', 'at file:///app/asset.1a/index.mjs:2:3', 'at /app/node_modules/x/index.mjs:1:1']) {
    expect(positions.translate(text)).toBe(text);
  }
});

test.each([
  ['Error: x\n    at f (lib/a.ts:3:4)\n    at g (b.ts:1:1)', 'lib/a.ts:3'],
  ['    at async jobs/b.ts:7:1', 'jobs/b.ts:7'],
  ['    at jobs/b.ts:7:1', 'jobs/b.ts:7'],
  ['    at node:internal/x:1:1\n    at h (file:///p/index.mjs:1:1)\n    at i (/p/x.js:1:2)', undefined],
])('the innermost place of a stack is the first that is in the sources: %j', (stack, place) => {
  expect(placeIn(stack)).toBe(place);
});
