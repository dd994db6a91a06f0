// bench: what source maps cost a deployed job: size, import time of a cold start, first stack; ratios, interleaved.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { bundleEntries } from '../lib/constructs/bundle/bundle-entries.ts';
import { EXTERNAL_ON_LAMBDA } from '../lib/constructs/bundle/external-on-lambda.ts';

const PROCESSES = Number(process.argv[2] ?? 25);
/** Modules of a large project's handler, each with some functions. */
const MODULES = 300;
const FLAG = '--enable-source-maps';

const root = mkdtempSync(join(import.meta.dirname, '.maps-'));
const runtime = join(import.meta.dirname, '../lambdas/runtime/index.ts');

interface Variant {
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly flags: readonly string[];
}

/** The bundle of `entry` as it is deployed without maps, with them, and with a map of all that is in one file. */
function variantsOf(entry: string): readonly Variant[] {
  const [plain = new Map()] = bundleEntries([entry], { root }).entries;
  const [withMap = new Map()] = bundleEntries([entry], { root, sourceMaps: true }).entries;
  const mapped = new Map(withMap);
  mapped.set(
    'index.mjs',
    Buffer.concat([withMap.get('index.mjs') ?? Buffer.alloc(0), Buffer.from('//# sourceMappingURL=index.mjs.map\n')]),
  );
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    outfile: join(root, 'index.mjs'),
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: true,
    banner: {
      js: "import{createRequire as __benchRequire}from'node:module';globalThis.require??=__benchRequire(import.meta.url);",
    },
    external: [...EXTERNAL_ON_LAMBDA],
  });
  const naive = new Map(
    outputFiles.map(({ path, contents }) => [path.endsWith('.map') ? 'index.mjs.map' : 'index.mjs', contents]),
  );
  return [
    { name: 'no source maps', files: plain, flags: [] },
    { name: 'as deployed: map of own modules', files: mapped, flags: [FLAG] },
    { name: 'one file and a map of all of it', files: naive, flags: [FLAG] },
  ];
}

/** Milliseconds of importing the handler and, apart, of asking for the first stack. */
function startOnce(folder: string, flags: readonly string[]): { readonly load: number; readonly stack: number } {
  const script = `
    const began = performance.now();
    const { fail } = await import(${JSON.stringify(join(folder, 'index.mjs'))});
    const loaded = performance.now();
    try { fail(); } catch (error) { error.stack; }
    process.stdout.write(JSON.stringify({ load: loaded - began, stack: performance.now() - loaded }));
    process.exit(0);`;
  const env = {
    PATH: process.env.PATH,
    AWS_REGION: 'us-east-1',
    BELFRY_TABLE: 'runs',
    BELFRY_ENVIRONMENT: 'bench',
    BELFRY_SCHEDULER: 'bench',
  };
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as { load: number; stack: number };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const sizeOf = (files: Variant['files']) => [...files.values()].reduce((sum, text) => sum + text.byteLength, 0);
const zippedSizeOf = (files: Variant['files']) =>
  [...files.values()].reduce((sum, text) => sum + gzipSync(text).byteLength, 0);

function compare(title: string, entry: string): void {
  const measured = variantsOf(entry).map((variant, index) => {
    const folder = join(root, `${title.replaceAll(/\W/g, '-')}-${index}`);
    mkdirSync(folder);
    for (const [name, content] of variant.files) writeFileSync(join(folder, name), content);
    return { ...variant, folder, loads: [] as number[], stacks: [] as number[] };
  });
  for (let round = 0; round < PROCESSES; round++) {
    for (const { folder, flags, loads, stacks } of measured) {
      const { load, stack } = startOnce(folder, flags);
      loads.push(load);
      stacks.push(stack);
    }
  }
  console.log(`${title}; medians of ${PROCESSES} interleaved process starts`);
  for (const { name, files, loads, stacks } of measured) {
    const ratio = (of: (variant: (typeof measured)[number]) => number, value: number) => {
      const [base] = measured;
      return base === undefined ? '' : `${(value / of(base)).toFixed(2)}x`;
    };
    const [size, zipped, load, stack] = [sizeOf(files), zippedSizeOf(files), median(loads), median(stacks)];
    console.log(
      `  ${name.padEnd(34)} ${String(size).padStart(8)} bytes ${ratio((one) => sizeOf(one.files), size)}` +
        `   zipped ${String(zipped).padStart(7)} ${ratio((one) => zippedSizeOf(one.files), zipped)}` +
        `   import ${load.toFixed(1).padStart(6)} ms ${ratio((one) => median(one.loads), load)}` +
        `   first stack ${stack.toFixed(1).padStart(5)} ms`,
    );
  }
}

try {
  const failing = `import { defineJob } from ${JSON.stringify(runtime)};\nexport function fail(): never {\n  throw new RangeError('refused');\n}\n`;
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(root, 'small.ts'), `${failing}export const handler = defineJob(async () => fail());\n`);
  const names = Array.from({ length: MODULES }, (_, index) => `part${index}`);
  for (const [index, name] of names.entries()) {
    const functions = Array.from(
      { length: 20 },
      (_, at) =>
        `export function step${at}(rows: readonly number[], limit: number): number {\n  let total = ${index};\n  for (const row of rows) {\n    if (row > limit) total += row * ${at + 1};\n  }\n  return total;\n}\n`,
    );
    writeFileSync(join(root, `${name}.ts`), functions.join('\n'));
  }
  const imports = names.map((name) => `import * as ${name} from './${name}.ts';`).join('\n');
  writeFileSync(
    join(root, 'large.ts'),
    `${imports}\n${failing}export const handler = defineJob(async () => Object.keys({ ${names.join(', ')} }));\n`,
  );
  compare('a small handler', join(root, 'small.ts'));
  const lines = names.reduce((sum, name) => sum + readFileSync(join(root, `${name}.ts`), 'utf8').split('\n').length, 0);
  compare(`a large handler, ${lines} lines of its own`, join(root, 'large.ts'));
} finally {
  rmSync(root, { recursive: true });
}
