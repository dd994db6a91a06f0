import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The table of rooms in ARCHITECTURE.md, as data: which arrows may be drawn. Anything not listed is refused. */
const ROOMS: Record<string, { rooms: string[]; packages: (string | RegExp)[] }> = {
  domain: { rooms: ['domain'], packages: ['luxon', 'cron-parser', 'cronstrue'] },
  adapters: { rooms: ['domain'], packages: [/^@aws-sdk\//, /^node:/] },
  runtime: {
    rooms: ['domain', 'adapters', 'runtime'],
    packages: ['@middy/core', 'aws-lambda', /^@aws-sdk\//, /^node:/],
  },
  handlers: { rooms: ['runtime', 'adapters', 'domain', 'handlers'], packages: [/^@aws-sdk\//, /^node:/] },
  constructs: {
    rooms: ['domain', 'constructs'],
    packages: [
      /^aws-cdk-lib/,
      'constructs',
      'esbuild',
      'es-module-lexer/js',
      '@jridgewell/sourcemap-codec',
      'zod',
      'cdk-nag',
      /^node:/,
    ],
  },
  local: { rooms: ['domain', 'adapters', 'local'], packages: [/./] },
  cli: { rooms: ['domain', 'adapters', 'local', 'cli'], packages: [/./] },
};

/** `lib/index.ts` and `lib/schedule.ts` are doors of the package: they only re-export from the room named here. */
const DOORS: Record<string, string> = { 'lib/index.ts': 'constructs', 'lib/schedule.ts': 'domain' };

function roomOf(path: string): string | undefined {
  if (path in DOORS) return DOORS[path];
  if (path.startsWith('lib/domain/')) return 'domain';
  if (path.startsWith('lib/adapters/')) return 'adapters';
  if (path.startsWith('lib/constructs/') || path.startsWith('lib/stacks/')) return 'constructs';
  if (path.startsWith('lib/local/')) return 'local';
  if (path.startsWith('lib/cli/')) return 'cli';
  if (path.startsWith('lambdas/runtime/')) return 'runtime';
  if (path.startsWith('lambdas/')) return 'handlers';
  return undefined;
}

const root = resolve(import.meta.dirname, '..');
const sources = ['lib', 'lambdas'].flatMap((folder) => walk(join(root, folder)));

function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : path.endsWith('.ts') ? [path] : [];
  });
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/[^\n]*/g, '$1');
}

function importsOf(path: string): string[] {
  const text = withoutComments(readFileSync(path, 'utf8'));
  return [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|\bimport\(\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'/g,
    ),
  ]
    .map((match) => match[1] ?? match[2] ?? match[3])
    .filter((specifier) => specifier !== undefined);
}

function refusedImports(path: string): string[] {
  const from = relative(root, path);
  const room = roomOf(from);
  if (room === undefined) return [`${from} lies in no room`];
  const allowed = ROOMS[room];
  return importsOf(path).flatMap((specifier) => {
    if (specifier.startsWith('.')) {
      const target = relative(root, resolve(dirname(path), specifier));
      const targetRoom = roomOf(target);
      if (room === 'adapters' && targetRoom === 'adapters' && adapterOf(from) !== adapterOf(target)) {
        return [`${from} imports another adapter: ${specifier}`];
      }
      const within = targetRoom === room || (targetRoom !== undefined && allowed?.rooms.includes(targetRoom));
      return within ? [] : [`${from} (${room}) imports ${target} (${targetRoom ?? 'no room'})`];
    }
    const fits = allowed?.packages.some((known) =>
      typeof known === 'string' ? known === specifier : known.test(specifier),
    );
    return fits ? [] : [`${from} (${room}) imports ${specifier}`];
  });
}

function adapterOf(path: string): string | undefined {
  return path.split('/')[2];
}

describe('rooms', () => {
  test('every room that the table names has files', () => {
    const seen = new Set(sources.map((path) => roomOf(relative(root, path))));
    expect([...seen].sort()).toEqual(Object.keys(ROOMS).sort());
  });

  test('imports follow the arrows of the table', () => {
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(50);
    expect(sources.flatMap(refusedImports)).toEqual([]);
  });

  test('the domain reads no clock, no randomness and no process', () => {
    const domain = sources.filter((path) => roomOf(relative(root, path)) === 'domain');
    expect(domain.length).toBeGreaterThan(10);
    const impure =
      /Date\.now\(|new Date\(\)|Math\.random|DateTime\.(now|local|utc)\(\)|\bprocess\.|\bconsole\.|\bperformance\./;
    expect(domain.filter((path) => impure.test(withoutComments(readFileSync(path, 'utf8'))))).toEqual([]);
  });

  test('what is deployed and relied on across rooms is spelled in lib/domain/contract alone', () => {
    const others = [...sources, ...['bench', '.ci'].flatMap((folder) => walk(join(root, folder)))].filter(
      (path) => !path.includes('/lib/domain/contract/'),
    );
    const literals: Record<string, RegExp> = {
      'a key prefix of the run table': /['"`](J#|R#|C#|W#watchdog|asked#|roster#|part#)/,
      'the namespace of the metrics': /['"`{]Belfry['"`,]/,
      'the name of something deployed': /[}'"`](-watchdog|\.watchdog|\.manifest|-lifecycle|-runs|-maintenance-)\b/,
    };
    const retyped = others.flatMap((path) => {
      const text = withoutComments(readFileSync(path, 'utf8'));
      return Object.entries(literals).flatMap(([what, literal]) =>
        literal.test(text) ? [`${relative(root, path)} types ${what}`] : [],
      );
    });
    expect(retyped).toEqual([]);
  });
});
