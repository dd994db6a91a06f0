// bench: a month of the sample app on the virtual clock as fast as it goes, from the start to the proof of its ledger
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createSampleApp } from '../test/support/sample-app.ts';

const belfry = join(import.meta.dirname, '..', 'bin', 'belfry.ts');
const FROM = Date.parse('2026-10-25T00:00:00Z');
const DAY_MS = 86_400_000;
const DAYS = 30;
const TOLD_EVERY_DAYS = 5;

const instant = (day: number) => new Date(FROM + day * DAY_MS).toISOString();
const parameters = ['dev', '--from', instant(0), '--until', instant(DAYS), '--speed', '100000', '--json'];

// A folder of its own: nobody's data is in it.
using app = createSampleApp();
console.log(`belfry ${parameters.join(' ')}`);
const began = performance.now();
const dev = spawn(process.execPath, [belfry, ...parameters], { cwd: app.path, stdio: ['ignore', 'pipe', 'ignore'] });
const ended = once(dev, 'exit') as Promise<[number | null]>;
let readyAt = began;
let told = 0;
let fired = 0;
for await (const line of createInterface({ input: dev.stdout })) {
  if (line.startsWith('{"type":"ready"')) readyAt = performance.now();
  if (!line.startsWith('{"type":"fired"')) continue;
  fired++;
  const { at } = JSON.parse(line) as { readonly at: string };
  const days = Math.floor((Date.parse(at) - FROM) / DAY_MS);
  if (days < told + TOLD_EVERY_DAYS) continue;
  told = days;
  console.log(`${String(days).padStart(4)} days after ${seconds(began)} s`);
}
const [code] = await ended;
if (code !== 0) throw new Error(`belfry dev ended with ${code}`);
const perMinute = (performance.now() - readyAt) / (DAYS * 24 * 60);
console.log(`${seconds(began)} s in all, ${perMinute.toFixed(2)} ms a minute of virtual time, ${fired} firings`);
const verify = spawnSync(process.execPath, [belfry, 'verify', '--local'], { cwd: app.path, encoding: 'utf8' });
console.log(`belfry verify --local: ${verify.stdout.split('\n')[0]}`);
process.exitCode = verify.status ?? 1;

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
