import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import type { BuildInputs } from './build-inputs.ts';

/** What a build made. */
export interface Built {
  /** By name, without folder. */
  readonly texts: ReadonlyMap<string, string>;
  readonly metafile: Metafile;
}

/** As it is on disk, under a digest of the rest of the file. */
interface Kept {
  /** By path of each file and folder that counts; null for what is not there. */
  readonly inputs: Readonly<Record<string, InputState | null>>;
  readonly texts: readonly (readonly [string, string])[];
  readonly metafile: Metafile;
}

interface InputState {
  /** Which file it is and when anything of it last changed. While that is the same, so is what is in it. */
  readonly stamp: string;
  /** Digest of a file's content, or of the names in a folder. */
  readonly digest: string;
}

/** More than one app has; what was not used for longest goes first. */
const MOST_BUILDS = 24;

/** An input that changed this shortly before its build began, or later, may not be what was built. */
const UNSETTLED_MS = 100;

/**
 * Builds of before, for synths that follow one another within seconds. One is taken only if each file that it was made
 * from has the same content, each setting around them, and each folder in which imports were looked for the same names. One
 * that cannot be read is as none; one that cannot be written is no error.
 */
export class BuildCache {
  private readonly folder: string;
  /** What was looked at once: many builds have the same inputs. */
  private readonly states = new Map<string, LazyState | undefined>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** @param question everything but the inputs that decides what is made */
  find(question: string): Built | undefined {
    const file = this.fileOf(question);
    try {
      const [digest, body] = split(readFileSync(file, 'utf8'));
      if (digest !== digestOf(body)) return undefined;
      const { inputs, texts, metafile } = JSON.parse(body) as Kept;
      if (!Object.entries(inputs).every(([path, before]) => this.isSame(path, before))) return undefined;
      const now = new Date();
      utimesSync(file, now, now);
      return { texts: new Map(texts), metafile };
    } catch {
      return undefined;
    }
  }

  /** @param began when the build began, epoch milliseconds */
  keep(question: string, { texts, metafile }: Built, findInputs: () => BuildInputs, began: number): void {
    const file = this.fileOf(question);
    const part = `${file}.${process.pid}.part`;
    try {
      const { files, folders, isComplete } = findInputs();
      if (!isComplete) return;
      const paths = [...files, ...folders];
      const isUnsettled = () => paths.some((path) => changedAt(path) > began - UNSETTLED_MS);
      if (isUnsettled()) return;
      const inputs = Object.fromEntries(paths.map((path) => [path, keptState(path)]));
      // Asked again after the contents were read, so that no change comes between the two.
      if (isUnsettled()) return;
      const body = JSON.stringify({ inputs, texts: [...texts], metafile: slim(metafile) } satisfies Kept);
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(part, `${digestOf(body)}\n${body}`);
      renameSync(part, file);
      this.prune();
    } catch {
      discard(part);
    }
  }

  private fileOf(question: string): string {
    return join(this.folder, digestOf(question));
  }

  private isSame(path: string, before: InputState | null): boolean {
    if (!this.states.has(path)) this.states.set(path, LazyState.of(path));
    const state = this.states.get(path);
    if (state === undefined || before === null) return state === undefined && before === null;
    return state.stamp === before.stamp || state.digest === before.digest;
  }

  private prune(): void {
    const files = readdirSync(this.folder).map((name) => join(this.folder, name));
    const byAge = files.map((file) => ({ file, usedAt: statSync(file).mtimeMs })).sort((a, b) => b.usedAt - a.usedAt);
    for (const { file } of byAge.slice(MOST_BUILDS)) rmSync(file, { force: true });
  }
}

/** Of the imports, which are most of it, only those that lead out of the bundle. */
function slim({ inputs, outputs }: Metafile): Metafile {
  const entries = Object.entries(inputs).map(([path, { imports, ...input }]) => {
    return [path, { ...input, imports: imports.filter(({ external }) => external === true) }] as const;
  });
  return { inputs: Object.fromEntries(entries), outputs };
}

function split(text: string): [string, string] {
  const end = text.indexOf('\n');
  return [text.slice(0, end), text.slice(end + 1)];
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Epoch milliseconds; of what is not there, never. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Number.NEGATIVE_INFINITY;
}

/** What there is at a path, read when it is not known by its stamp. */
class LazyState implements InputState {
  static of(path: string): LazyState | undefined {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stats === undefined ? undefined : new LazyState(path, stats);
  }

  readonly stamp: string;
  private readonly path: string;
  private readonly isFolder: boolean;
  private known: string | undefined;

  private constructor(path: string, stats: BigIntStats) {
    this.path = path;
    this.isFolder = stats.isDirectory();
    this.stamp = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
  }

  get digest(): string {
    this.known ??= digestOf(this.isFolder ? namesIn(this.path) : readFileSync(this.path));
    return this.known;
  }
}

/** The stamp is taken before the content is read: what changes in between has another one. */
function keptState(path: string): InputState | null {
  const state = LazyState.of(path);
  return state === undefined ? null : { stamp: state.stamp, digest: state.digest };
}

/** The names in a folder, with where links lead. */
function namesIn(folder: string): string {
  const names = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    if (entry.isSymbolicLink()) return `${entry.name} -> ${readlinkSync(join(folder, entry.name))}`;
    return entry.isDirectory() ? `${entry.name}/` : entry.name;
  });
  return names.sort().join('\n');
}

/** Where the folder cannot be written to, there is no file either, and the answer to removing it differs by the reason. */
function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
