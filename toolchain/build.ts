/** Emits what the package publishes into dist/: JavaScript, type declarations, and the files that code reads at run time. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundlePage } from '../lib/local/console/page-bundle.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) as { include: string[] };

rmSync(dist, { recursive: true, force: true });
execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['--project', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
for (const path of include) {
  cpSync(join(root, path), join(dist, path), { recursive: true, filter: (source) => isReadAtRunTime(source) });
}

// The console's page is published as the browser takes it: users have neither its sources' packages nor a wish to wait.
const bundled = join(dist, 'lib', 'local', 'console', 'page', 'bundled');
const { script, style } = await bundlePage();
mkdirSync(bundled, { recursive: true });
writeFileSync(join(bundled, 'page.js'), script);
writeFileSync(join(bundled, 'page.css'), style);

function isReadAtRunTime(source: string): boolean {
  return !/\.(ts|tsx|md)$/.test(source) && !source.startsWith(join(root, 'lib', 'local', 'console', 'page'));
}
