import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Metafile } from 'esbuild';

/** Beside each module or above it, these say how it is read and what its imports mean. */
const SETTINGS = [
  ...['package.json', 'tsconfig.json', 'jsconfig.json', '.pnp.cjs', '.pnp.js', '.pnp.data.json'],
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock'],
];

export interface BuildStart {
  /** Absolute path of the project. */
  readonly root: string;
  /** Absolute paths of the entries. */
  readonly entries: readonly string[];
  /** Absolute path that a module in no file was given. */
  readonly module?: string | undefined;
}

/**
 * All that decides what a build makes: the modules it read, the settings around them, and the folders in which its imports
 * were looked for, where another file would be found instead. What is not there is listed too: it might come.
 */
export class BuildInputs {
  /** Absolute paths, whose content counts. */
  readonly files = new Set<string>();
  /** Absolute paths, of which counts what is in them. */
  readonly folders = new Set<string>();
  /** Whether the above is all: a module may be in no file, and imports may be mapped to folders that are not known. */
  isComplete = true;
  /** The project's folder, also without links on the way to it. */
  private readonly roots: readonly string[];
  private readonly walked = new Set<string>();

  constructor({ inputs }: Metafile, { root, entries, module }: BuildStart) {
    this.roots = [root, realpathSync(root)];
    this.walk(root);
    for (const entry of entries) this.walk(dirname(entry));
    if (module !== undefined) this.walk(dirname(module));
    for (const [input, { imports }] of Object.entries(inputs)) {
      const file = resolve(root, input);
      const folder = dirname(file);
      if (file !== module) {
        if (!existsSync(file)) this.isComplete = false;
        this.files.add(file);
        this.walk(folder);
      }
      for (const { original } of imports) {
        if (original !== undefined && !isBuiltin(original)) this.lookFor(original, folder);
      }
    }
    for (const file of [...this.files].filter((path) => /[\\/][jt]sconfig\.json$/.test(path))) this.readMappings(file);
  }

  /** The folders from this one up, with what in them decides. */
  private walk(folder: string): void {
    if (this.walked.has(folder)) return;
    this.walked.add(folder);
    // What else is above the project is not looked at by any import that stays inside it.
    const isAbove = this.roots.some((root) => root !== folder && isInside(root, folder));
    if (!isAbove) this.folders.add(folder);
    // What comes to a folder whose names count is seen there.
    const counts = (path: string) => isAbove || existsSync(path);
    for (const path of SETTINGS.map((name) => join(folder, name))) if (counts(path)) this.files.add(path);
    const packages = join(folder, 'node_modules');
    if (counts(packages)) this.folders.add(packages);
    this.readMain(folder);
    const parent = dirname(folder);
    if (parent !== folder) this.walk(parent);
  }

  /** Where a package says that it begins: when that is not there, something else is taken until it is. */
  private readMain(folder: string): void {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) return;
    const { main, module } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    for (const path of [main, module]) if (typeof path === 'string') this.consider(resolve(folder, path));
  }

  private lookFor(specifier: string, importer: string): void {
    if (isAbsolute(specifier) || specifier.startsWith('.')) {
      this.consider(resolve(importer, specifier));
      return;
    }
    for (const folder of pathUp(importer)) {
      const packages = join(folder, 'node_modules');
      if (existsSync(packages)) this.consider(join(packages, specifier));
    }
  }

  /** A path without extension: a file in its folder, or a folder itself, whose settings may lead on. */
  private consider(path: string): void {
    this.walk(dirname(path));
    this.folders.add(dirname(path));
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
    this.folders.add(path);
    this.files.add(join(path, 'package.json'));
  }

  /** A TypeScript configuration counts with all that it extends. Where it maps imports, what they would find is not known. */
  private readMappings(file: string): void {
    if (!existsSync(file)) return;
    const text = readFileSync(file, 'utf8');
    if (/"(paths|baseUrl)"/.test(text)) this.isComplete = false;
    for (const [, value = ''] of text.matchAll(/"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/g)) {
      for (const [, specifier = ''] of value.matchAll(/"([^"]+)"/g)) this.extend(specifier, dirname(file));
    }
  }

  private extend(specifier: string, folder: string): void {
    this.lookFor(specifier, folder);
    const bases = specifier.startsWith('.') ? [folder] : pathUp(folder).map((above) => join(above, 'node_modules'));
    for (const path of bases.map((base) => resolve(base, specifier))) {
      for (const file of [path, `${path}.json`, join(path, 'tsconfig.json')]) {
        if (this.files.has(file) || !statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
        this.files.add(file);
        this.readMappings(file);
      }
    }
  }
}

function isInside(path: string, folder: string): boolean {
  return !relative(folder, path).startsWith('..');
}

/** The folder and all that it is in. */
function pathUp(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...pathUp(parent)];
}
