import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { relative, resolve } from 'node:path';

/** A position in bundled code as stacks tell it; in a text that is JSON as well. */
const BUNDLED = /(?:file:\/\/)?(\/[^\s()'"\\]*\/asset\.\w+\/index\.mjs):(\d+):(\d+)/g;

/** Says where in the sources what stands in bundled code comes from. */
export class SourcePositions {
  readonly #projectFolder: string;
  readonly #maps = new Map<string, SourceMap | undefined>();

  constructor(projectFolder: string) {
    this.#projectFolder = projectFolder;
  }

  /** The text with positions in the sources, relative to the project, in the place of those in bundled code. */
  translate(text: string): string {
    if (!text.includes('/index.mjs:')) return text;
    return text.replace(BUNDLED, (position, file: string, line: string, column: string) => {
      return this.#sourceOf(file, Number(line) - 1, Number(column) - 1) ?? position;
    });
  }

  #sourceOf(file: string, line: number, column: number): string | undefined {
    const entry = this.#mapOf(file)?.findEntry(line, column);
    // What is of a package has no source.
    if (entry === undefined || !('originalSource' in entry) || entry.originalSource === undefined) return undefined;
    // Sources are named from the root of all.
    const source = relative(this.#projectFolder, resolve('/', entry.originalSource));
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  }

  #mapOf(file: string): SourceMap | undefined {
    if (this.#maps.has(file)) return this.#maps.get(file);
    try {
      const payload = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload;
      this.#maps.set(file, new SourceMap(payload));
    } catch {
      // Not made by us, or gone since: its positions stay as they are.
      this.#maps.set(file, undefined);
    }
    return this.#maps.get(file);
  }
}

/** `lambdas/jobs/report.ts:12`: the innermost place in the sources that a translated stack names. */
export function placeIn(stack: string): string | undefined {
  return /^\s+at (?:.*\(|async )?((?!file:|node:|\/)[^\s():]+:\d+):\d+\)?$/m.exec(stack)?.[1];
}
