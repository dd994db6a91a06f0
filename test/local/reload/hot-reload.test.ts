import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import type { LocalEvent } from '../../../lib/local/local-event.ts';
import { LocalRuntime } from '../../../lib/local/local-runtime.ts';
import { AutoReload } from '../../../lib/local/reload/auto-reload.ts';
import { createLocalApp } from '../../support/local-app.ts';

const NEVER = 'cron(0 0 1 1 ? 2099)';
const app = createLocalApp({
  jobs: [
    { name: 'look', handler: 'look', expression: NEVER },
    { name: 'beat', handler: 'beat', expression: NEVER },
    { name: 'count', handler: 'count', expression: NEVER, watchdog: true },
  ],
});
const functions = join(app.path, 'functions');
const handlers = join(functions, 'index.mjs');
const failures: string[] = [];
const events: LocalEvent[] = [];
let runtime: LocalRuntime;
let reloading: AutoReload;
let endpoint = '';

beforeAll(async () => {
  cpSync(fileURLToPath(new URL('../../support/local-app/functions', import.meta.url)), functions, { recursive: true });
  runtime = await LocalRuntime.prepare({
    projectFolder: app.path,
    environment: 'dev',
    clock: new VirtualClock(),
    fresh: false,
    emit: (event) => events.push(event),
  });
  runtime.run();
  endpoint = events.find((event) => event.type === 'ready')?.endpoint ?? '';
  reloading = new AutoReload({
    projectFolder: app.path,
    reload: () => runtime.reload(),
    onFailed: ({ message }) => failures.push(message),
  });
});
afterAll(async () => {
  await reloading.close();
  await runtime.stop(5_000);
  app[Symbol.dispose]();
});

async function invoke(name: string, event: object = {}): Promise<unknown> {
  const url = `${endpoint}/2015-03-31/functions/dev-jobs-${name}Fn/invocations`;
  return (await fetch(url, { method: 'POST', body: JSON.stringify(event) })).json();
}

async function eventually<Found>(find: () => Found | undefined): Promise<Found> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

it('takes a changed handler over; the data and an invocation under way stay', async () => {
  await invoke('beat', { job: 'beat', scheduledTime: '2026-10-31T23:00:00Z' });
  expect(await invoke('look')).toMatchObject({ invocations: 1, functionName: 'dev-jobs-lookFn' });
  const underWay = invoke('look', { wait: 1_500 });
  edit(handlers, 'functionName: context.functionName,', "functionName: 'another one',");
  await eventually(() => events.find((event) => event.type === 'reloaded'));
  expect(await invoke('look')).toMatchObject({ invocations: 1, functionName: 'another one' });
  expect(await underWay).toMatchObject({ functionName: 'dev-jobs-lookFn' });
  expect(await invoke('count')).toBe(1);
  expect(await invoke('look')).toMatchObject({ functionName: 'another one' });
});

it('goes on as it was while the app does not synthesise, and takes the next one that does', async () => {
  const cdkJson = join(app.path, 'cdk.json');
  const whole = readFileSync(cdkJson, 'utf8');
  writeFileSync(cdkJson, whole.replace('"context":{', '"context":{"fail":"a typing error",'));
  await eventually(() => failures.find((message) => message.includes('a typing error')));
  expect(await invoke('look')).toMatchObject({ functionName: 'another one' });
  writeFileSync(cdkJson, whole.replace(NEVER, 'cron(0 0 2 2 ? 2099)'));
  const { jobs, summary } = await eventually(() => events.filter((event) => event.type === 'reloaded')[1]);
  expect(summary).toEqual(['changed job look']);
  expect(jobs.find(({ name }) => name === 'look')).toMatchObject({ next: '2099-02-02T00:00:00Z' });
});
