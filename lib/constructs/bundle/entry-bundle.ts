import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IConstruct } from 'constructs';
import { BelfryError } from '../../domain/errors.ts';
import { Builder } from './build.ts';
import { type Bundled, type BundledEntry, type BundleSettings, bundleEntries, bundleWhole } from './bundle-entries.ts';

interface Announced {
  readonly source: (() => string) | undefined;
  readonly isAlone: boolean;
  readonly root: string | undefined;
  readonly sourceMaps: boolean;
}

/**
 * The bundles of one app. Entries are announced while the tree is built and bundled all together the first time that one
 * is asked for: one pass of esbuild for all handlers of the app, whatever the number of jobs and environments, and one for
 * each different thing that they take from packages.
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
   * @param isAlone whether all of it is in one file, packages too
   * @param root folder of the project
   * @param sourceMaps whether it needs a source map; whoever needs none leaves it out
   */
  announce(
    entry: string,
    {
      source,
      isAlone = false,
      root,
      sourceMaps = false,
    }: { source?: () => string; isAlone?: boolean; root?: string; sourceMaps?: boolean } = {},
  ): void {
    const isWanted = sourceMaps || this.announced.get(entry)?.sourceMaps === true;
    this.announced.set(entry, { source, isAlone, root, sourceMaps: isWanted });
  }

  /** The bundled module (ESM, minified) of an announced entry. */
  filesOf(entry: string): BundledEntry {
    if (!this.bundled.has(entry)) this.bundle();
    const files = this.bundled.get(entry);
    if (files === undefined) {
      throw new BelfryError(
        'UnannouncedEntry',
        `${entry} was not announced before it was bundled: this is a defect in Belfry, please report it`,
      );
    }
    return files;
  }

  private bundle(): void {
    const builder = new Builder();
    const waiting = [...this.announced].filter(([entry]) => !this.bundled.has(entry));
    const sourceMaps = builder.isLocal || waiting.some(([, announced]) => announced.sourceMaps);
    this.pass(
      waiting.filter(([, { isAlone }]) => !isAlone),
      (files, settings) => bundleEntries(files, { ...settings, builder, sourceMaps }),
    );
    this.pass(
      waiting.filter(([, { isAlone }]) => isAlone),
      (files, settings) => bundleWhole(files, { ...settings, builder }),
    );
  }

  private pass(
    entries: readonly (readonly [string, Announced])[],
    bundle: (files: readonly string[], settings: Pick<BundleSettings, 'root' | 'generated'>) => Bundled,
  ): void {
    if (entries.length === 0) return;
    // As esbuild names it, which follows links.
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'belfry-entries-')));
    try {
      const files = entries.map(([entry, { source }], index) => {
        if (source === undefined) return entry;
        const file = join(folder, `${index}.mjs`);
        writeFileSync(file, source());
        return file;
      });
      const root = entries.find(([, announced]) => announced.root !== undefined)?.[1].root ?? process.cwd();
      const { entries: bundles, passes } = bundle(files, { root, generated: folder });
      for (const [index, bundled] of bundles.entries()) this.bundled.set(entries[index]?.[0] ?? '', bundled);
      this.passes += passes;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
