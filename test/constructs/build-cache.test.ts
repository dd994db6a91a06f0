import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Builder } from '../../lib/constructs/bundle/build.ts';
import { BuildCache } from '../../lib/constructs/bundle/build-cache.ts';
import { BuildInputs } from '../../lib/constructs/bundle/build-inputs.ts';
import { bundleEntries } from '../../lib/constructs/bundle/bundle-entries.ts';
import { eventually } from '../support/eventually.ts';

const HANDLER = `
import { short } from 'greeting';
import { greet } from './service/greet.js';
import { mode } from './mode';
import { beside } from '../../beside';
export const handler = async () => greet(short) + mode + beside;
`;

/** A project with a handler, a service module and a package, and what bundling it made. */
function project() {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-builds-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, 'app');
  const cache = join(root, '.belfry', 'bundles');
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  mkdirSync(cache, { recursive: true });
  write('package.json', '{ "type": "module" }');
  write('package-lock.json', '{}');
  write('tsconfig.json', '{ "extends": "./base.json" }');
  write('base.json', '{ "compilerOptions": { "strict": true } }');
  write('jobs/one.ts', HANDLER);
  write('jobs/service/greet.ts', "export const greet = (text: string) => 'good ' + text;\n");
  write('../beside/index.ts', "export const beside = 'folder';\n");
  write('jobs/mode/index.ts', "export const mode = ' folder';\n");
  write(
    'node_modules/greeting/package.json',
    '{ "name": "greeting", "type": "module", "module": "dist/main.js", "main": "index.js" }',
  );
  write('node_modules/greeting/dist/types.d.ts', '');
  write('node_modules/greeting/index.js', "export { short } from './text.js';\n");
  write('node_modules/greeting/text.js', "export const short = 'day';\n");
  const bundle = (env: NodeJS.ProcessEnv = { BELFRY_BUNDLE_CACHE: cache }) => {
    const { entries, passes } = bundleEntries([join(root, 'jobs/one.ts')], { root, builder: new Builder(env) });
    const texts = Object.fromEntries(
      [...(entries[0] ?? [])].map(([name, text]) => [name, Buffer.from(text).toString()]),
    );
    return { texts, passes };
  };
  /** What was changed a moment ago is not kept: it may still be changing. */
  const settled = () =>
    eventually(() => {
      const bundled = bundle();
      expect(bundled.passes).toBe(0);
      return bundled.texts;
    });
  return { root, cache, write, bundle, settled };
}

test('what nothing changed of is not bundled again, and is the same to the byte', async () => {
  const { bundle, settled } = project();
  const afresh = bundle({});
  expect(afresh.passes).toBe(2);
  expect(bundle({}).passes).toBe(2);
  expect(await settled()).toEqual(afresh.texts);
});

test.each<[what: string, file: string, text: string, passes: number]>([
  ['its handler', 'jobs/one.ts', HANDLER.replace('greet(short)', 'greet(short) + 1'), 1],
  ['a service module', 'jobs/service/greet.ts', "export const greet = (text: string) => 'bad ' + text;\n", 1],
  ['a file of a package', 'node_modules/greeting/text.js', "export const short = 'night';\n", 1],
  ['what a package exports', 'node_modules/greeting/package.json', '{ "type": "module", "main": "other.js" }', 1],
  [
    'what a package said it exports before it was there',
    'node_modules/greeting/dist/main.js',
    "export const short = 'built';\n",
    1,
  ],
  ['a module beside the project', '../beside.ts', "export const beside = 'file';\n", 1],
  ['a module that comes before the one found', 'jobs/mode.ts', "export const mode = ' file';\n", 1],
  ['settings of a folder that an import names', 'jobs/mode/package.json', '{ "main": "../service/other.js" }', 1],
  ['a package nearer to the handler', 'jobs/node_modules/greeting/index.js', "export const short = 'near';\n", 2],
  ['settings of TypeScript that others extend', 'base.json', '{ "compilerOptions": { "target": "es5" } }', 2],
  ['the package.json of the project', 'package.json', '{ "type": "module", "sideEffects": false }', 2],
  ['the lockfile', 'package-lock.json', '{ "lockfileVersion": 3 }', 2],
])('%s is picked up', async (_, file, text, passes) => {
  const { write, bundle, settled } = project();
  write('jobs/service/other.ts', "export const mode = ' other';\n");
  write('node_modules/greeting/other.js', "export const short = 'other';\n");
  await settled();
  write(file, text);
  const afresh = bundle({});
  const bundled = bundle();
  expect(bundled.passes).toBeGreaterThanOrEqual(passes);
  expect(bundled.texts).toEqual(afresh.texts);
  expect(await settled()).toEqual(afresh.texts);
});

test('a package that is linked to another folder is picked up', async () => {
  const { root, write, bundle, settled } = project();
  const link = join(root, 'node_modules/greeting');
  for (const which of ['first', 'second']) {
    write(`packages/${which}/package.json`, '{ "type": "module", "main": "index.js" }');
    write(`packages/${which}/index.js`, `export const short = '${which}';\n`);
    rmSync(link, { recursive: true });
    symlinkSync(join(root, 'packages', which), link);
    const afresh = bundle({});
    expect(JSON.stringify(afresh.texts)).toContain(which);
    expect(bundle().texts).toEqual(afresh.texts);
    expect(await settled()).toEqual(afresh.texts);
  }
});

test('where TypeScript maps imports, everything is bundled each time', () => {
  const { cache, write, bundle } = project();
  write('base.json', '{ "compilerOptions": { "paths": { "@jobs/*": ["./jobs/*"] } } }');
  bundle();
  expect(readdirSync(cache)).toEqual([]);
});

test.each<[what: string, damage: (text: string) => string]>([
  ['is cut off', (text) => text.slice(0, text.length / 2)],
  ['is empty', () => ''],
  ['is valid and says something else', (text) => text.replace('good ', 'evil ')],
])('a kept bundle whose file %s is made anew', async (_, damage) => {
  const { cache, bundle, settled } = project();
  const whole = await settled();
  for (const name of readdirSync(cache)) {
    writeFileSync(join(cache, name), damage(readFileSync(join(cache, name), 'utf8')));
  }
  expect(bundle().texts).toEqual(whole);
  expect(await settled()).toEqual(whole);
});

test('what changed while it was being built is not kept', () => {
  const { root, cache } = project();
  const file = join(root, 'package.json');
  const built = { texts: new Map([['0.mjs', 'text']]), metafile: { inputs: {}, outputs: {} } };
  const inputs = new BuildInputs({ inputs: {}, outputs: {} }, { root, entries: [] });
  const { ctimeMs } = statSync(file);
  const builds = new BuildCache(cache);
  builds.keep('question', built, () => inputs, ctimeMs);
  expect(builds.find('question')).toBeUndefined();
  builds.keep('question', built, () => inputs, ctimeMs + 60_000);
  expect(builds.find('question')).toEqual(built);
});

test('where nothing can be kept, everything is bundled', () => {
  const { root, bundle } = project();
  const file = join(root, 'package.json', 'bundles');
  expect(bundle({ BELFRY_BUNDLE_CACHE: file })).toEqual(bundle({}));
});

test('a build that cannot be kept fails nothing, however old its inputs are', () => {
  const { root } = project();
  const file = join(root, 'package.json');
  const built = { texts: new Map([['0.mjs', 'text']]), metafile: { inputs: {}, outputs: {} } };
  const inputs = new BuildInputs({ inputs: {}, outputs: {} }, { root, entries: [] });
  const builds = new BuildCache(join(file, 'bundles'));
  builds.keep('question', built, () => inputs, statSync(file).ctimeMs + 60_000);
  expect(builds.find('question')).toBeUndefined();
});
