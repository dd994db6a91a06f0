import { createHash } from 'node:crypto';

/** The files of a bundled entry: `index.mjs`, and what it shares with others. */
export type BundledEntry = ReadonlyMap<string, Uint8Array>;

interface Named {
  readonly name: string;
  readonly content: Uint8Array;
}

/**
 * The modules that a pass of esbuild made. It names shared ones by a hash into which goes how many entries there are;
 * here they are named by their content alone, so that an asset stays the same whatever is bundled beside it.
 */
export class BundledModules {
  private readonly texts: ReadonlyMap<string, string>;
  private readonly imports: ReadonlyMap<string, readonly string[]>;
  private readonly named = new Map<string, Named>();

  /**
   * @param texts by the names that esbuild gave
   * @param imports names of the modules that each imports
   */
  constructor(texts: ReadonlyMap<string, string>, imports: ReadonlyMap<string, readonly string[]>) {
    this.texts = texts;
    this.imports = imports;
  }

  /** An entry as `index.mjs`, and beside it all that it imports. */
  filesOf(entry: string): BundledEntry {
    const files = new Map([['index.mjs', this.name(entry).content]]);
    const wanted = [...(this.imports.get(entry) ?? [])];
    for (let module = wanted.pop(); module !== undefined; module = wanted.pop()) {
      const { name, content } = this.name(module);
      if (files.has(name)) continue;
      files.set(name, content);
      wanted.push(...(this.imports.get(module) ?? []));
    }
    return files;
  }

  private name(module: string): Named {
    const known = this.named.get(module);
    if (known !== undefined) return known;
    // Modules that import each other keep esbuild's names: neither can hold a hash of the other.
    const keepsName = this.reaches(module, module);
    let text = this.texts.get(module) ?? '';
    for (const imported of this.imports.get(module) ?? []) {
      if (!this.reaches(imported, module)) text = text.replaceAll(imported, this.name(imported).name);
    }
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
    const named = { name: keepsName ? module : `shared-${hash}.mjs`, content: Buffer.from(text) };
    this.named.set(module, named);
    return named;
  }

  /** Whether `from` imports `to`, directly or by way of others. */
  private reaches(from: string, to: string): boolean {
    const seen = new Set<string>();
    const next = [...(this.imports.get(from) ?? [])];
    for (let module = next.pop(); module !== undefined; module = next.pop()) {
      if (module === to) return true;
      if (seen.has(module)) continue;
      seen.add(module);
      next.push(...(this.imports.get(module) ?? []));
    }
    return false;
  }
}
