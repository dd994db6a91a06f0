import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EntryBundle } from '../../lib/constructs/bundle/entry-bundle.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { schedulerApp } from './scheduler-app.ts';

/** An app of jobs with these handlers, by name, in a project with two packages. */
function handlers(texts: Readonly<Record<string, string>>) {
  const created = schedulerApp();
  const { root, scheduler, stack, app } = created;
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(root, 'shared.ts'), "export const greet = (name: string) => 'hello ' + name;\n");
  pack(
    root,
    'greeting',
    { type: 'module', exports: { '.': './index.js', './effect': './effect.js' } },
    {
      'index.js': "export default { text: 'from a package' };\nexport const short = 'hi';\n",
      'effect.js': "globalThis.greeted = 'greeted';\n",
    },
  );
  pack(root, 'old', { main: 'index.js' }, { 'index.js': "exports.old = 'old';\n" });
  for (const [name, text] of Object.entries(texts)) {
    writeFileSync(join(root, `${name}.ts`), text);
    new ScheduledJob(scheduler, name, { schedule: '@daily', timeZone: 'UTC', entry: `${name}.ts` });
  }
  const { directory } = app.synth();
  const folders = new Map<string, string>();
  for (const { Properties } of Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'))) {
    folders.set(Properties.FunctionName, join(directory, `asset.${String(Properties.Code.S3Key).replace('.zip', '')}`));
  }
  return { ...created, folders };
}

function pack(root: string, name: string, manifest: object, files: Readonly<Record<string, string>>): void {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, ...manifest }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
}

function runHandler(folder: string | undefined): string {
  const script = `console.log(await (await import(${JSON.stringify(join(folder ?? '', 'index.mjs'))})).handler())`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }).trim();
}

test('a handler holds its own modules, and has what it takes from packages beside it', () => {
  const { folders } = handlers({
    one: "import { greet } from './shared.ts';\nimport greeting from 'greeting';\nexport const handler = async () => greet(greeting.text);\n",
  });
  const folder = folders.get('belfry-test_one') ?? '';
  expect(readdirSync(folder).sort()).toEqual([
    'index.mjs',
    'index.mjs.map',
    expect.stringMatching(/^packages-\w{12}\.mjs$/),
  ]);
  expect(readFileSync(join(folder, 'index.mjs'), 'utf8')).toContain('hello ');
  expect(readFileSync(join(folder, 'index.mjs'), 'utf8')).not.toContain('from a package');
  expect(runHandler(folder)).toBe('hello from a package');
});

test('a run on this machine has code that is the same as what is deployed', () => {
  const text = { one: "import { short } from 'greeting';\nexport const handler = async () => short;\n" };
  const deployed = handlers(text).folders.get('belfry-test_one') ?? '';
  vi.stubEnv('BELFRY_LOCAL', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
  const here = handlers(text).folders.get('belfry-test_one') ?? '';
  const names = readdirSync(here).sort();
  expect(readdirSync(deployed).sort()).toEqual(names);
  for (const name of names.filter((one) => !one.endsWith('.map'))) {
    expect(readFileSync(join(here, name), 'utf8')).toBe(readFileSync(join(deployed, name), 'utf8'));
  }
});

test('handlers that take the same from packages share it, in two passes whatever their number and once on disk', () => {
  const text = (n: number) =>
    `import { short } from 'greeting';\nimport { readFileSync } from 'node:fs';\nexport const handler = async () => typeof readFileSync + short + ${n};\n`;
  const { app, folders } = handlers(Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`job-${n}`, text(n)])));
  expect(EntryBundle.of(app).passes).toBe(2);
  const shared = [...folders.values()].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith('packages-'))
      .map((name) => statSync(join(folder, name)).ino),
  );
  expect(shared).toHaveLength(17);
  expect(new Set(shared).size).toBe(1);
  expect(runHandler(folders.get('belfry-test_job-16'))).toBe('functionhi16');
});

test.each([
  ['all of a package', "import * as all from 'greeting';", 'all.short + all.default.text', 'hifrom a package'],
  [
    'names of several packages',
    "import t, { short as s } from 'greeting'; import { old } from 'old';",
    's + t.text + old',
    'hifrom a packageold',
  ],
  ['a package for its effect', "import 'greeting/effect';", 'globalThis.greeted', 'greeted'],
  ['the default of a CommonJS package', "import whole from 'old';", 'whole.old', 'old'],
  ['a package while it runs', '', "(await import('greeting')).short", 'hi'],
  ['a package by require', '', "require('old').old", 'old'],
  ['a package whose exports it passes on', "export { short } from 'greeting';", "'passed on'", 'passed on'],
  [
    'a package beside a text that looks like one',
    "import { short } from 'greeting';",
    '\'import{old}from"old";\' + short',
    'import{old}from"old";hi',
  ],
])('a handler may import %s', (_, imports, value, answer) => {
  const { folders } = handlers({ one: `${imports}\nexport const handler = async () => ${value};\n` });
  expect(runHandler(folders.get('belfry-test_one'))).toBe(answer);
});
