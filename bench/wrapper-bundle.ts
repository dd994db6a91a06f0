// bench: bundle size and import time of a job, beside client-dynamodb alone and beside Powertools, interleaved.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { EXTERNAL_ON_LAMBDA } from '../lib/constructs/bundle/external-on-lambda.ts';

const PROCESSES = Number(process.argv[2] ?? 15);
const folder = mkdtempSync(join(import.meta.dirname, '.bundles-'));
const runtime = join(import.meta.dirname, '../lambdas/runtime/index.ts');

const commands =
  'DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand, TransactWriteItemsCommand, BatchGetItemCommand';
const sources: Record<string, { text: string; external?: readonly string[] }> = {
  'client-dynamodb alone': {
    text: `import { ${commands} } from '@aws-sdk/client-dynamodb'; export const handler = () => [new DynamoDBClient({}), ${commands}];`,
  },
  'a job, as it is deployed': {
    text: `import { defineJob } from ${JSON.stringify(runtime)}; export const handler = defineJob((run) => run.step('one', () => 1));`,
    external: EXTERNAL_ON_LAMBDA,
  },
  'a job, nothing left out': {
    text: `import { defineJob } from ${JSON.stringify(runtime)}; export const handler = defineJob((run) => run.step('one', () => 1));`,
  },
  'Powertools idempotency, logger, metrics': {
    text: `import { makeIdempotent } from '@aws-lambda-powertools/idempotency'; import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'; import { Logger } from '@aws-lambda-powertools/logger'; import { Metrics } from '@aws-lambda-powertools/metrics'; export const handler = makeIdempotent(async (event) => [new Logger(), new Metrics(), event], { persistenceStore: new DynamoDBPersistenceLayer({ tableName: 'x' }) });`,
  },
};

const banner =
  "import{createRequire as __benchRequire}from'node:module';globalThis.require??=__benchRequire(import.meta.url);";
try {
  const sizes: Record<string, number> = {};
  for (const [index, [name, { text, external = [] }]] of Object.entries(sources).entries()) {
    const entry = join(folder, `${index}.entry.mjs`);
    writeFileSync(entry, text);
    const outfile = join(folder, `${index}.mjs`);
    buildSync({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node24',
      format: 'esm',
      mainFields: ['module', 'main'],
      minify: true,
      legalComments: 'none',
      banner: { js: banner },
      external: [...external],
      logLevel: 'error',
    });
    sizes[name] = statSync(outfile).size;
    writeFileSync(
      join(folder, `${index}.time.mjs`),
      `const t = performance.now(); await import('./${index}.mjs'); process.stdout.write(String(performance.now() - t)); process.exit(0);`,
    );
  }
  const names = Object.keys(sources);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  const env = {
    PATH: process.env.PATH,
    AWS_REGION: 'us-east-1',
    BELFRY_TABLE: 'runs',
    BELFRY_ENVIRONMENT: 'bench',
    BELFRY_SCHEDULER: 'bench',
  };
  for (let round = 0; round < PROCESSES; round++) {
    for (const [index, name] of names.entries()) {
      const { stdout } = spawnSync(process.execPath, [join(folder, `${index}.time.mjs`)], { encoding: 'utf8', env });
      times.get(name)?.push(Number(stdout));
    }
  }
  const median = (name: string) => [...(times.get(name) ?? [])].sort((a, b) => a - b)[Math.floor(PROCESSES / 2)] ?? 0;
  const [baseline = ''] = names;
  console.log(`minified ESM, mainFields module,main; import time: median of ${PROCESSES} interleaved process starts`);
  for (const name of names) {
    const size = sizes[name] ?? 0;
    const sizeRatio = (size / (sizes[baseline] ?? 1)).toFixed(2);
    const timeRatio = (median(name) / median(baseline)).toFixed(2);
    console.log(
      `${name.padEnd(40)} ${String(size).padStart(7)} bytes ${sizeRatio}x   import ${median(name).toFixed(0).padStart(4)} ms ${timeRatio}x`,
    );
  }
  console.log('budget: a job at most 1.1x of client-dynamodb alone, both');
} finally {
  rmSync(folder, { recursive: true });
}
