// `npm run bench` runs every benchmark of this folder in turn; `npm run bench -- schedule wrapper` only those named.
// Each is a program of its own that prints what it ran and ratios; none asserts a time.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';

const folder = import.meta.dirname;
/** A benchmark's file says so in its first line; the rest of the folder are parts of one. */
const isBenchmark = (name: string) =>
  name !== 'run.ts' && readFileSync(join(folder, name), 'utf8').startsWith('// bench:');

const known = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && isBenchmark(name))
  .map((name) => name.slice(0, -3));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark named ${unknown.join(', ')}: there are ${known.join(', ')}`);
  process.exit(2);
}

console.log(
  `Node ${process.version}, tz database ${process.versions.tz}, ${cpus().length} x ${cpus()[0]?.model}, kernel ${release()}`,
);
let failed = 0;
for (const name of wanted.length > 0 ? wanted : known) {
  console.log(`\n== ${name} (bench/${name}.ts)`);
  const { status } = spawnSync(process.execPath, [join(folder, `${name}.ts`)], { stdio: 'inherit' });
  if (status !== 0) failed += 1;
}
process.exitCode = failed > 0 ? 1 : 0;
