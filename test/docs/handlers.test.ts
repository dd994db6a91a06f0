import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { defineJob } from '../../lambdas/runtime/index.ts';
import { testJob } from '../../lambdas/runtime/testing/index.ts';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/handlers.md'), 'utf8');
const examples = [...text.matchAll(/```ts file=(\S+)\n([\s\S]*?)```/g)].map(([, name = '', source = '']) => ({
  name,
  source,
}));
let folder: string;

beforeAll(() => {
  mkdirSync(join(root, 'test/docs'), { recursive: true });
  folder = mkdtempSync(join(root, 'test/docs/.examples-'));
  const runtime = relative(folder, join(root, 'lambdas/runtime'));
  for (const { name, source } of examples) {
    const local = source
      .replaceAll("'cdk-belfry/runtime'", `'${runtime}/index.ts'`)
      .replaceAll("'cdk-belfry/testing'", `'${runtime}/testing/index.ts'`);
    writeFileSync(join(folder, name), local);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (name: string) => import(join(folder, name)) as Promise<Record<string, unknown>>;
const scheduledTime = '2026-11-02T13:00:00Z';

async function carryOut(name: string) {
  const { handler } = await load(name);
  return testJob(handler as ReturnType<typeof defineJob>, { scheduledTime });
}

test('there are examples, and each begins with its imports', () => {
  expect(examples.length).toBeGreaterThan(6);
  for (const { source } of examples) expect(source).toMatch(/^import /);
});

test('all examples type-check', () => {
  const config = { extends: join(root, 'tsconfig.json'), include: [join(folder, '*.ts')] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '-p', folder], {
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

test('the first example', async () => {
  const { run, lines } = await carryOut('nightly-report.ts');
  expect(run).toMatchObject({ status: 'succeeded', result: '{"total":42}' });
  expect(lines.at(-1)).toMatchObject({ Customers: 2 });
});

test('commit', async () => {
  const { run, committed } = await carryOut('dunning.ts');
  expect(run.result).toBe('{"reminders":2}');
  expect(committed).toHaveLength(2);
});

test('fences', async () => {
  expect((await carryOut('fences.ts')).run.status).toBe('succeeded');
  expect((await load('fences.ts')).writes).toMatchObject([
    { ConditionExpression: expect.stringContaining('<=') },
    { text: expect.stringContaining('fencing_token <= $1'), values: [1] },
  ]);
});

test('pages', async () => {
  const { run, deliveries } = await carryOut('pages.ts');
  expect(run).toMatchObject({ status: 'succeeded', segments: 4, result: '"all pages"' });
  expect(deliveries).toHaveLength(5);
});

test('a test of a handler with steps', async () => {
  await load('steps.test.ts');
});

test('the middleware in a chain', async () => {
  const { handler } = await load('chain.ts');
  await expect((handler as (event: unknown, context: object) => Promise<unknown>)({}, {})).rejects.toMatchObject({
    code: 'NotDeployed',
  });
});
