import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { IConstruct } from 'constructs';
import { buildSync, type Loader } from 'esbuild';
import { BelfryError } from '../../domain/errors.ts';
import { type BundledEntry, BundledModules } from './bundled-modules.ts';
import { EXTERNAL_ON_LAMBDA } from './external-on-lambda.ts';

/** Lets bundled CommonJS packages call `require` for Node's own modules, without claiming the name in the bundle. */
const REQUIRE_FOR_COMMONJS =
  "import{createRequire as __belfryCreateRequire}from'node:module';globalThis.require??=__belfryCreateRequire(import.meta.url);";

const LOADERS: Record<string, Loader> = { '.txt': 'text', '.sql': 'text' };

/**
 * From here on, what handlers share is bundled once and lies beside each of them. Before, each is one file: that loads a
 * little faster, and bundling the same SDK a few times takes no time to speak of.
 */
const MANY_ENTRIES = 16;

interface Announced {
  readonly source: (() => string) | undefined;
  readonly isAlone: boolean;
  readonly root: string | undefined;
}

/**
 * The bundles of one app. Entries are announced while the tree is built and bundled all together the first time that one
 * is asked for: one pass of esbuild for all handlers of the app, whatever the number of jobs and environments.
 */
export class EntryBundle {
  private static readonly ofRoot = new WeakMap<IConstruct, EntryBundle>();

  /** The bundle shared by everything in the same construct tree. */
  static of(scope: IConstruct): EntryBundle {
    const root = scope.node.root;
    const known = EntryBundle.ofRoot.get(root);
    if (known !== undefined) return known;
    const bundle = new EntryBundle();
    EntryBundle.ofRoot.set(root, bundle);
    return bundle;
  }

  /** How many times esbuild ran. */
  passes = 0;
  private readonly announced = new Map<string, Announced>();
  private readonly bundled = new Map<string, BundledEntry>();

  /**
   * @param entry absolute path of a file that exports `handler`, or the name of a generated module
   * @param source text of the generated module
   * @param isAlone whether it shares nothing with others, so that it stays the same whatever they are
   * @param root folder of the project: shared files are named by where they come from in it, the same in every checkout
   */
  announce(
    entry: string,
    { source, isAlone = false, root }: { source?: () => string; isAlone?: boolean; root?: string } = {},
  ): void {
    this.announced.set(entry, { source, isAlone, root });
  }

  /** The bundled module (ESM, minified) of an announced entry. */
  filesOf(entry: string): BundledEntry {
    if (!this.bundled.has(entry)) this.bundle();
    const files = this.bundled.get(entry);
    if (files === undefined) {
      throw new BelfryError(
        'UnannouncedEntry',
        `${entry} was never announced for bundling: announce it before synthesis`,
      );
    }
    return files;
  }

  private bundle(): void {
    const waiting = [...this.announced].filter(([entry]) => !this.bundled.has(entry));
    const together = waiting.filter(([, { isAlone }]) => !isAlone);
    this.pass(together, together.length > MANY_ENTRIES);
    this.pass(
      waiting.filter(([, { isAlone }]) => isAlone),
      false,
    );
  }

  private pass(entries: readonly (readonly [string, Announced])[], areMany: boolean): void {
    if (entries.length === 0) return;
    const folder = mkdtempSync(join(tmpdir(), 'belfry-entries-'));
    try {
      const files = entries.map(([entry, { source }], index) => {
        if (source === undefined) return entry;
        const file = join(folder, `${index}.mjs`);
        writeFileSync(file, source());
        return file;
      });
      const root = entries.find(([, announced]) => announced.root !== undefined)?.[1].root ?? process.cwd();
      for (const [index, bundled] of bundleEntries(files, root, areMany).entries()) {
        this.bundled.set(entries[index]?.[0] ?? '', bundled);
      }
      this.passes += 1;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** One pass for all entries; the answer is in their order. */
function bundleEntries(entries: readonly string[], root: string, areMany: boolean): BundledEntry[] {
  const absent = entries.find((entry) => !existsSync(entry));
  if (absent !== undefined) {
    throw new BelfryError('MissingHandlerFile', `${absent} is gone: it was there when the job was declared`);
  }
  const { outputFiles, metafile } = buildSync({
    entryPoints: entries.map((entry, index) => ({ in: entry, out: String(index) })),
    absWorkingDir: root,
    outdir: '/',
    bundle: true,
    splitting: areMany,
    metafile: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    chunkNames: 'shared-[hash]',
    // The module builds of the SDK are a third smaller than its CommonJS ones, and load in a third less time.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    loader: LOADERS,
    external: [...EXTERNAL_ON_LAMBDA],
    banner: { js: REQUIRE_FOR_COMMONJS },
    logLevel: 'error',
  });
  const imports = Object.entries(metafile.outputs).map(
    ([path, output]) =>
      [
        basename(path),
        output.imports.filter(({ external }) => external !== true).map((one) => basename(one.path)),
      ] as const,
  );
  const modules = new BundledModules(
    new Map(outputFiles.map((file) => [basename(file.path), file.text])),
    new Map(imports),
  );
  return entries.map((_, index) => modules.filesOf(`${index}.mjs`));
}
