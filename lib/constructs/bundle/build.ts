import { basename, resolve } from 'node:path';
import { type BuildOptions, buildSync, version } from 'esbuild';
import { BuildCache, type Built } from './build-cache.ts';
import { BuildInputs } from './build-inputs.ts';

/** What a build is told besides the options that all have in common. */
export interface BuildRequest {
  /** Absolute path of the project. */
  readonly root: string;
  /** Absolute paths of the entries; the outputs are `0.mjs`, `1.mjs`, … */
  readonly entries?: readonly string[];
  /** A module in no file instead. */
  readonly generated?: { readonly contents: string; readonly resolveDir: string; readonly sourcefile: string };
  readonly options: BuildOptions;
}

/** Set by a local synth: the folder in which builds are kept for the next one. */
const CACHE_VARIABLE = 'BELFRY_BUNDLE_CACHE';

/** Whether what is synthesised runs on this machine only, by `belfry dev`. */
export function isForThisMachine(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.BELFRY_LOCAL !== undefined && env.BELFRY_LOCAL !== 'compare';
}

/** Runs esbuild, or takes what it made before of the same. */
export class Builder {
  /** How many times esbuild ran. */
  passes = 0;
  /** Whether what is built runs on this machine only: then it comes with source maps. `compare`: it only is looked at. */
  readonly isLocal: boolean;
  private readonly cache: BuildCache | undefined;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.isLocal = isForThisMachine(env);
    const folder = env[CACHE_VARIABLE];
    if (folder !== undefined && folder !== '') this.cache = new BuildCache(folder);
  }

  build({ root, entries = [], generated, options }: BuildRequest): Built {
    const asked: BuildOptions = {
      ...options,
      ...(generated === undefined ? {} : { stdin: generated }),
      entryPoints: entries.map((entry, index) => ({ in: entry, out: String(index) })),
      absWorkingDir: root,
    };
    const { NODE_PATH, ESBUILD_BINARY_PATH } = process.env;
    const question = JSON.stringify([version, NODE_PATH, ESBUILD_BINARY_PATH, asked]);
    const known = this.cache?.find(question);
    if (known !== undefined) return known;
    const began = Date.now();
    const { outputFiles, metafile } = buildSync({ ...asked, metafile: true, write: false });
    this.passes += 1;
    const built: Built = { texts: new Map(outputFiles.map(({ path, text }) => [basename(path), text])), metafile };
    if (this.cache !== undefined) {
      const module = generated === undefined ? undefined : resolve(generated.resolveDir, generated.sourcefile);
      this.cache.keep(
        question,
        built,
        () => new BuildInputs(metafile, { root: resolve(root), entries, module }),
        began,
      );
    }
    return built;
  }
}
