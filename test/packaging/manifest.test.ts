import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const build = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));

function sources(path: string): string[] {
  if ((build.exclude as string[]).includes(path)) return [];
  const absolute = join(root, path);
  if (!statSync(absolute).isDirectory()) return path.endsWith('.ts') && !path.endsWith('.d.ts') ? [path] : [];
  return readdirSync(absolute).flatMap((name) => sources(join(path, name)));
}

const published = (build.include as string[]).flatMap(sources);

describe('what is published', () => {
  test('is the built code, the licence and what one reads first', () => {
    expect(manifest.files).toEqual(['dist', 'README.md', 'CHANGELOG.md', 'LICENSE']);
  });

  test('has no dependency on a Node binary: users bring their own', () => {
    expect(manifest.optionalDependencies).toBeUndefined();
    expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('node-'))).toEqual([]);
  });

  test('leaves the CDK to the app that uses it, of the version that it is tested with', () => {
    for (const name of ['aws-cdk-lib', 'constructs']) {
      expect(manifest.peerDependencies[name]).toBe(manifest.devDependencies[name]);
      expect(manifest.dependencies[name]).toBeUndefined();
    }
  });
});

test('each entry point is built from a source that exists', () => {
  const entries = [
    ...Object.values(manifest.exports as Record<string, string | { default: string }>),
    manifest.bin.belfry,
  ]
    .map((entry) => (typeof entry === 'string' ? entry : entry.default))
    .filter((path) => path !== './package.json');
  expect(entries.length).toBe(5);
  for (const entry of entries) {
    const source = entry.replace(/^(\.\/)?dist\//, '').replace(/\.js$/, '.ts');
    expect(existsSync(join(root, source)), source).toBe(true);
    expect(published, source).toContain(source);
  }
});

test('published code imports only what is installed with it', () => {
  expect(published.length).toBeGreaterThan(50);
  const provided = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]);
  const foreign = published.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/^(?:import|export)(?! type)\b[^'";]*?from '([^'.][^']*)'/gm)]
      .map(([, specifier = '']) =>
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name) && !provided.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(foreign).toEqual([]);
});
