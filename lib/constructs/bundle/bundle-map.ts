import { relative, resolve, sep } from 'node:path';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import type { Move } from './package-imports.ts';

export interface BundleMapOptions {
  /** What has moved since esbuild wrote the map. */
  readonly moves?: readonly Move[];
  /** Folder that sources are named from: the root of all, or the project, for a map that is the same on every machine. */
  readonly namedFrom: string;
  /** Folder of modules that were generated for the build; nobody has them. */
  readonly generated?: string;
}

/** What esbuild writes; its sources are named from the folder that it was to write to, the root of all. */
interface WrittenMap {
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

/**
 * The source map of a bundled module, in which only the project's own modules are: those of packages would make it ten
 * times as large, and Node reads it at each cold start.
 */
export function bundleMap(text: string, { moves = [], namedFrom, generated }: BundleMapOptions): string {
  const { sources, names, mappings } = JSON.parse(text) as WrittenMap;
  const kept = new Map<number, number>();
  const keptNames = new Map<number, number>();
  const lines = decode(mappings).map((segments, line) => {
    const inLine = moves.filter((move) => move.line === line);
    const own: SourceMapSegment[] = [];
    for (const segment of segments) {
      const column = movedColumn(segment[0], inLine);
      const [, source, sourceLine, sourceColumn, name] = segment;
      if (source === undefined || sourceLine === undefined || sourceColumn === undefined) continue;
      if (!isOwn(sources[source] ?? '', generated)) {
        // The end of what comes from a module that is in the map.
        if (own.at(-1)?.length !== 1) own.push([column]);
        continue;
      }
      const numbered = numberIn(kept, source);
      own.push(
        name === undefined
          ? [column, numbered, sourceLine, sourceColumn]
          : [column, numbered, sourceLine, sourceColumn, numberIn(keptNames, name)],
      );
    }
    return own;
  });
  return JSON.stringify({
    version: 3,
    sources: [...kept.keys()].map((source) => nameFrom(namedFrom, sources[source] ?? '')),
    names: [...keptNames.keys()].map((name) => names[name]),
    mappings: encode(lines),
  });
}

/** Where what was in this column is now. What was taken out of the text is where its replacement ends. */
function movedColumn(column: number, moves: readonly Move[]): number {
  const by = moves.findLast((move) => move.column - move.by <= column)?.by ?? 0;
  const next = moves.find((move) => move.column - move.by > column);
  return Math.min(column + by, next?.column ?? Number.POSITIVE_INFINITY);
}

function isOwn(source: string, generated: string | undefined): boolean {
  if (source.includes('node_modules/')) return false;
  return generated === undefined || !resolve('/', source).startsWith(generated + sep);
}

function nameFrom(folder: string, source: string): string {
  return relative(folder, resolve('/', source)).split(sep).join('/');
}

/** Numbers things in the order in which they are asked for. */
function numberIn(numbers: Map<number, number>, thing: number): number {
  const number = numbers.get(thing) ?? numbers.size;
  numbers.set(thing, number);
  return number;
}
