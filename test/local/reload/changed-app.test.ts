import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AutoReload } from '../../../lib/local/reload/auto-reload.ts';
import { eventually } from '../../support/eventually.ts';
import { createFleetProject } from '../../support/fleet-project.ts';
import { prepareRuntime } from '../../support/prepare-runtime.ts';

const JOB = `new ScheduledJob(scheduler, 'greet', { schedule: '0 0 1 1 *', timeZone: 'UTC', entry: 'greet.ts', files: ['names.csv'] });`;
const HANDLER = `
import { readFileSync } from 'node:fs';
import { short } from 'greeting';
import { end } from './service/end.ts';
let calls = 0;
export const handler = async () => {
  calls += 1;
  return [calls, short, readFileSync(new URL('./names.csv', import.meta.url), 'utf8'), end].join(' ');
};`;

/** An app with one job, running, which reloads what is edited. */
async function runningApp() {
  const folder = createFleetProject(JOB, { stacks: 1 });
  const write = (name: string, text: string) => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('package.json', '{ "type": "module" }');
  write('greet.ts', HANDLER);
  write('names.csv', 'Ada');
  write('service/end.ts', "export const end = '!';");
  write('node_modules/greeting/package.json', '{ "name": "greeting", "type": "module", "main": "index.js" }');
  write('node_modules/greeting/index.js', "export const short = 'hi';");
  const failures: string[] = [];
  const mended: string[] = [];
  const { events, runtime } = await prepareRuntime(folder);
  runtime.run();
  const reloading = new AutoReload({
    projectFolder: folder,
    reload: () => runtime.reload(),
    onFailed: ({ message }) => failures.push(message),
    onMended: () => mended.push('mended'),
  });
  onTestFinished(async () => {
    await reloading.close();
    await runtime.stop(5_000);
  });
  const endpoint = events.find((event) => event.type === 'ready')?.endpoint ?? '';
  const greet = async (): Promise<unknown> => {
    const url = `${endpoint}/2015-03-31/functions/Jobs_greet/invocations`;
    return (await fetch(url, { method: 'POST', body: '{}' })).json();
  };
  const edit = (name: string, from: string, to: string) => {
    const text = readFileSync(join(folder, name), 'utf8');
    expect(text).toContain(from);
    write(name, text.replace(from, to));
  };
  return { write, edit, greet, failures, mended, events };
}

test('a handler is taken over when it changes, or what it uses does: a module, a file beside it, a package', async () => {
  const { write, edit, greet } = await runningApp();
  expect(await greet()).toBe('1 hi Ada !');
  edit('greet.ts', "join(' ')", "join('-')");
  await eventually(async () => expect(await greet()).toMatch(/^\d+-hi-Ada-!$/));
  edit('service/end.ts', "'!'", "'?'");
  await eventually(async () => expect(await greet()).toMatch(/^\d+-hi-Ada-\?$/));
  edit('names.csv', 'Ada', 'Grace');
  await eventually(async () => expect(await greet()).toMatch(/^\d+-hi-Grace-\?$/));
  edit('node_modules/greeting/index.js', 'hi', 'hello');
  // What is installed comes with a lockfile: packages themselves are not watched.
  write('package-lock.json', '{}');
  await eventually(async () => expect(await greet()).toMatch(/^\d+-hello-Grace-\?$/));
});

test('a new job comes without touching others; a declaration against the rules is said, and its mending, and all goes on as it was', async () => {
  const { edit, greet, failures, mended, events } = await runningApp();
  expect(await greet()).toBe('1 hi Ada !');
  edit('app.mjs', JOB, `${JOB} ${JOB.replace("'greet'", "'other'")}`);
  const { summary } = await eventually(() => {
    const reloaded = events.find((event) => event.type === 'reloaded');
    if (reloaded === undefined) throw new Error('not reloaded yet');
    return reloaded;
  });
  expect(summary).toEqual(['new job other']);
  expect(await greet()).toBe('2 hi Ada !');
  edit('app.mjs', "'0 0 1 1 *'", "'61 0 1 1 *'");
  await eventually(() => expect(failures.join()).toContain("job 'greet': minute field '61'"));
  expect(await greet()).toBe('3 hi Ada !');
  expect(mended).toEqual([]);
  edit('app.mjs', "'61 0 1 1 *'", "'0 0 1 1 *'");
  await eventually(() => expect(mended).toEqual(['mended']));
  expect(await greet()).toBe('4 hi Ada !');
});
