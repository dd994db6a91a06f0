import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Loader, Metafile } from 'esbuild';
import { BelfryError } from '../../domain/errors.ts';
import { Builder } from './build.ts';
import { bundleMap } from './bundle-map.ts';
import { EXTERNAL_ON_LAMBDA } from './external-on-lambda.ts';
import { type PackageHome, PackageHomes } from './package-home.ts';
import { type Move, PackageImports } from './package-imports.ts';

/** The files of a bundled entry: `index.mjs`, its source map where asked for, and the packages that it shares with others. */
export type BundledEntry = ReadonlyMap<string, Uint8Array>;

export const SOURCE_MAP = 'index.mjs.map';

export interface BundleSettings {
  /** Folder of the project. */
  readonly root: string;
  /** Whether source maps come with the bundles. Default: no. */
  readonly sourceMaps?: boolean;
  /** Folder of entries that were generated. */
  readonly generated?: string;
  readonly builder?: Builder;
}

export interface Bundled {
  /** In the order of the entries. */
  readonly entries: readonly BundledEntry[];
  /** How many times esbuild ran. */
  readonly passes: number;
}

/** Lets bundled CommonJS packages call `require` for Node's own modules, without claiming the name in the bundle. */
const REQUIRE_FOR_COMMONJS =
  "import{createRequire as __belfryCreateRequire}from'node:module';globalThis.require??=__belfryCreateRequire(import.meta.url);";

const LOADERS: Record<string, Loader> = { '.txt': 'text', '.sql': 'text' };

/** What stays an import: there on Lambda. */
const LEFT_OUT = new Set(EXTERNAL_ON_LAMBDA.filter((name) => !name.endsWith('*')));
const LEFT_OUT_PREFIXES = EXTERNAL_ON_LAMBDA.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

function isLeftOut(name: string): boolean {
  return LEFT_OUT.has(name) || LEFT_OUT_PREFIXES.some((prefix) => name.startsWith(prefix));
}

const OPTIONS = {
  outdir: '/',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  // The module builds of the SDK are a third smaller than its CommonJS ones, and load in a third less time.
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  loader: LOADERS,
  banner: { js: REQUIRE_FOR_COMMONJS },
  logLevel: 'error',
} as const satisfies BuildOptions;

/** Beside the code, which is the same with it, and without the text of the sources. */
const WITH_SOURCE_MAP = { sourcemap: 'external', sourcesContent: false } as const satisfies BuildOptions;

/**
 * Bundles each entry into one file with all that it uses: in one pass, and no entry depends on any other.
 * @throws BelfryError `MissingHandlerFile`
 */
export function bundleWhole(entries: readonly string[], settings: BundleSettings): Bundled {
  if (entries.length === 0) return { entries: [], passes: 0 };
  const { root, builder = new Builder(), sourceMaps = false } = settings;
  const before = builder.passes;
  checkPresent(entries);
  const options = { ...OPTIONS, external: [...EXTERNAL_ON_LAMBDA], ...(sourceMaps ? WITH_SOURCE_MAP : {}) };
  const { texts } = builder.build({ root, entries, options });
  const bundled = entries.map((_, index): BundledEntry => {
    const map = texts.get(`${index}.mjs.map`);
    return new Map([
      ['index.mjs', Buffer.from(texts.get(`${index}.mjs`) ?? '')],
      ...mapFile(map, [], { ...settings, builder }),
    ]);
  });
  return { entries: bundled, passes: builder.passes - before };
}

/**
 * Bundles each entry without packages, and beside it what it takes from packages, the runtime among them: once for all
 * that take the same. Bundling the SDK for each of a thousand handlers takes minutes; sharing one bundle of it among all
 * would change all of them with whatever a new one takes.
 * @throws BelfryError `MissingHandlerFile`
 */
export function bundleEntries(entries: readonly string[], settings: BundleSettings): Bundled {
  if (entries.length === 0) return { entries: [], passes: 0 };
  const { root, builder = new Builder(), sourceMaps = false } = settings;
  const all = { ...settings, builder, sourceMaps };
  const before = builder.passes;
  checkPresent(entries);
  const { texts, metafile } = builder.build({
    root,
    entries,
    options: {
      ...OPTIONS,
      packages: 'external',
      external: [runtimeModule(), ...EXTERNAL_ON_LAMBDA],
      ...(sourceMaps ? WITH_SOURCE_MAP : {}),
    },
  });
  const origins = new Origins(metafile, root);
  const packages = new PackageBundles(root, builder);
  const whole: number[] = [];
  const bundled = entries.map((_, index): BundledEntry => {
    const output = `${index}.mjs`;
    const imports = origins.mayShare(output) ? PackageImports.of(texts.get(output) ?? '', isLeftOut) : undefined;
    const home = origins.homeOf(output);
    if (imports === undefined || home === undefined) {
      whole.push(index);
      return new Map();
    }
    const map = texts.get(`${output}.map`);
    if (imports.isEmpty)
      return new Map([['index.mjs', Buffer.from(texts.get(output) ?? '')], ...mapFile(map, [], all)]);
    const { name, content } = packages.of(imports.source, home);
    const { text, moves } = imports.importing(name);
    return new Map([['index.mjs', Buffer.from(text)], [name, content], ...mapFile(map, moves, all)]);
  });
  const others = bundleWhole(
    whole.map((index) => entries[index] ?? ''),
    all,
  );
  for (const [position, index] of whole.entries()) bundled[index] = others.entries[position] ?? new Map();
  return { entries: bundled, passes: builder.passes - before };
}

/** Where the modules of each output come from. */
class Origins {
  private readonly inputs: Metafile['inputs'];
  private readonly outputs: ReadonlyMap<string, Metafile['outputs'][string]>;
  private readonly root: string;
  private readonly homes = new PackageHomes();

  constructor({ inputs, outputs }: Metafile, root: string) {
    this.inputs = inputs;
    this.outputs = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
    this.root = root;
  }

  /** Whether packages come into the output by import statements alone. */
  mayShare(output: string): boolean {
    const { imports = [] } = this.outputs.get(output) ?? {};
    return imports.every(
      ({ kind, path, external }) =>
        external !== true || kind === 'import-statement' || isLeftOut(path) || path.startsWith('node:'),
    );
  }

  /** Where the packages of all its modules are looked for; undefined when that is not one place. */
  homeOf(output: string): PackageHome | undefined {
    const modules = Object.keys(this.outputs.get(output)?.inputs ?? {}).filter((input) =>
      this.inputs[input]?.imports.some(({ external }) => external === true),
    );
    const homes = modules.map((input) => this.homes.of(resolve(this.root, input)));
    const [home = this.homes.of(resolve(this.root, 'index.mjs'))] = homes;
    const isOne = homes.every(({ folder, isModule }) => folder === home.folder && isModule === home.isModule);
    return isOne ? home : undefined;
  }
}

/** Bundles of what handlers take from packages, by what they take. */
class PackageBundles {
  private readonly root: string;
  private readonly builder: Builder;
  private readonly made = new Map<string, { readonly name: string; readonly content: Uint8Array }>();

  constructor(root: string, builder: Builder) {
    this.root = root;
    this.builder = builder;
  }

  of(source: string, home: PackageHome): { readonly name: string; readonly content: Uint8Array } {
    const key = `${home.folder}\n${home.isModule}\n${source}`;
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const { texts } = this.builder.build({
      root: this.root,
      // The extension says how the default exports of CommonJS packages are read.
      generated: {
        contents: source,
        resolveDir: home.folder,
        sourcefile: home.isModule ? 'packages.mjs' : 'packages.js',
      },
      options: { ...OPTIONS, external: [...EXTERNAL_ON_LAMBDA] },
    });
    const [text = ''] = texts.values();
    const content = Buffer.from(text);
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
    const bundle = { name: `packages-${hash}.mjs`, content };
    this.made.set(key, bundle);
    return bundle;
  }
}

function mapFile(
  map: string | undefined,
  moves: readonly Move[],
  { root, generated, builder }: BundleSettings & { readonly builder: Builder },
): readonly (readonly [string, Uint8Array])[] {
  if (map === undefined) return [];
  const namedFrom = builder.isLocal ? '/' : resolve(root);
  const options = { moves, namedFrom, ...(generated === undefined ? {} : { generated }) };
  return [[SOURCE_MAP, Buffer.from(bundleMap(map, options))]];
}

function checkPresent(entries: readonly string[]): void {
  const absent = entries.find((entry) => !existsSync(entry));
  if (absent !== undefined) {
    throw new BelfryError('MissingHandlerFile', `${absent} is gone: it was there when the job was declared`);
  }
}

/** What handlers in this repository import by its path: in the sources TypeScript, in the published package JavaScript. */
function runtimeModule(): string {
  const source = fileURLToPath(new URL('../../../lambdas/runtime/index.ts', import.meta.url));
  return existsSync(source) ? source : source.replace(/\.ts$/, '.js');
}
