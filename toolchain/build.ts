/** Emits what the package publishes into dist/: JavaScript, type declarations, and the files that code reads at run time. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) as { include: string[] };

rmSync(dist, { recursive: true, force: true });
execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['--project', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
for (const path of include) {
  cpSync(join(root, path), join(dist, path), {
    recursive: true,
    filter: (source) => !/\.(ts|md)$/.test(source),
  });
}
