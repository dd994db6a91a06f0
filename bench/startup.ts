// bench: how long `belfry dev` takes until everything can fire, beside the bare synthesis that is part of it
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Not the environment that people keep their data in. */
const ENVIRONMENT = 'staging';
const ROUNDS = 5;

const synthesis: number[] = [];
const ready: number[] = [];
const outdir = mkdtempSync(join(tmpdir(), 'belfry-bench-'));
try {
  for (let round = 0; round < ROUNDS; round++) {
    synthesis.push(timeSynthesis());
    ready.push(await timeReady());
  }
} finally {
  rmSync(outdir, { recursive: true, force: true });
  rmSync(join(root, '.belfry', ENVIRONMENT), { recursive: true, force: true });
}
const bare = median(synthesis);
const full = median(ready);
console.log(`bare synthesis   ${format(synthesis)}`);
console.log(`belfry dev ready ${format(ready)}`);
console.log(`ready / synthesis = ${(full / bare).toFixed(2)} (median of ${ROUNDS}, in turn)`);

function timeSynthesis(): number {
  const start = performance.now();
  const env = { ...process.env, CDK_OUTDIR: join(outdir, 'cdk.out'), CDK_VALIDATION: 'false' };
  const { status, stderr } = spawnSync(process.execPath, ['bin/app.ts'], { cwd: root, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - start;
}

function timeReady(): Promise<number> {
  const start = performance.now();
  const flags = ['dev', '--json', '--fresh', '--environment', ENVIRONMENT, '--from', '2026-10-31T23:00:30Z'];
  const child = spawn(process.execPath, ['bin/belfry.ts', ...flags], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaints += chunk;
  });
  return new Promise((resolve, reject) => {
    let took: number | undefined;
    child.stdout.once('data', () => {
      took = performance.now() - start;
      child.kill('SIGINT');
    });
    child.once('close', () => {
      if (took === undefined) reject(new Error(complaints));
      else resolve(took);
    });
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function format(values: readonly number[]): string {
  return `median ${median(values).toFixed(0)} ms (${values.map((value) => value.toFixed(0)).join(', ')})`;
}
