import { expect, test } from 'vitest';
import { BundledModules } from '../../lib/constructs/bundle/bundled-modules.ts';

function modules(sources: Record<string, { text: string; imports?: string[] }>): BundledModules {
  const entries = Object.entries(sources);
  return new BundledModules(
    new Map(entries.map(([name, { text }]) => [name, text])),
    new Map(entries.map(([name, { imports = [] }]) => [name, imports])),
  );
}

/** The files with their text, imports spelled as they then stand. */
function files(bundled: BundledModules, entry: string): Record<string, string> {
  return Object.fromEntries(
    [...bundled.filesOf(entry)].map(([name, content]) => [name, Buffer.from(content).toString()]),
  );
}

test('what is shared is named by its content, whatever esbuild called it', () => {
  const once = modules({
    '0.mjs': { text: 'import"./shared-A.mjs"', imports: ['shared-A.mjs'] },
    'shared-A.mjs': { text: 'x' },
  });
  const again = modules({
    '7.mjs': { text: 'import"./shared-B.mjs"', imports: ['shared-B.mjs'] },
    'shared-B.mjs': { text: 'x' },
  });
  expect(files(once, '0.mjs')).toEqual(files(again, '7.mjs'));
  const [index, shared] = Object.keys(files(once, '0.mjs'));
  expect(index).toBe('index.mjs');
  expect(files(once, '0.mjs')['index.mjs']).toBe(`import"./${shared}"`);
});

test('what is shared by way of something shared comes along', () => {
  const bundled = modules({
    '0.mjs': { text: 'import"./shared-A.mjs"', imports: ['shared-A.mjs'] },
    'shared-A.mjs': { text: 'import"./shared-B.mjs"', imports: ['shared-B.mjs'] },
    'shared-B.mjs': { text: 'b' },
  });
  const found = files(bundled, '0.mjs');
  expect(Object.keys(found)).toHaveLength(3);
  for (const text of Object.values(found)) {
    const imported = /"\.\/(.*)"/.exec(text)?.[1];
    if (imported !== undefined) expect(Object.keys(found)).toContain(imported);
  }
});

test('shared modules that import each other keep their names, and find each other', () => {
  const bundled = modules({
    '0.mjs': { text: 'import"./shared-A.mjs"', imports: ['shared-A.mjs'] },
    'shared-A.mjs': { text: 'import"./shared-B.mjs"', imports: ['shared-B.mjs'] },
    'shared-B.mjs': { text: 'import"./shared-A.mjs"', imports: ['shared-A.mjs'] },
  });
  expect(files(bundled, '0.mjs')).toEqual({
    'index.mjs': 'import"./shared-A.mjs"',
    'shared-A.mjs': 'import"./shared-B.mjs"',
    'shared-B.mjs': 'import"./shared-A.mjs"',
  });
});
