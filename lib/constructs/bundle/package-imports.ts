import { isBuiltin } from 'node:module';
import { resolve } from 'node:path';
import { parse } from 'es-module-lexer/js';

/** What a module takes from packages: by package, the names; `*` is all of it as one object. */
type Taken = ReadonlyMap<string, ReadonlySet<string>>;

/** An import statement of a bundled module, taken apart. */
interface Statement {
  readonly start: number;
  readonly end: number;
  readonly from: string;
  /** Names in the package, by the name that the module knows each under. None: imported for its effect. */
  readonly names: ReadonlyMap<string, string>;
}

/** What comes in a line of a text from this column on (both from 0) was moved to the right by so many columns. */
export interface Move {
  readonly line: number;
  readonly column: number;
  readonly by: number;
}

/**
 * What a bundled module imports from packages. Handlers that take the same from the same packages can share a bundle of
 * it, which depends on nothing else: not on what other handlers there are, nor on what they take.
 */
export class PackageImports {
  /**
   * Undefined when the packages cannot be told apart from the module, because it loads one of them while it runs or passes
   * its exports on.
   *
   * @param text a module that esbuild printed, its packages left out
   * @param isLeftOut whether a package is there on Lambda, and stays an import
   */
  static of(text: string, isLeftOut: (name: string) => boolean): PackageImports | undefined {
    const statements: Statement[] = [];
    for (const { n: from, ss: start, se: end, d: dynamic, at: attributes } of parse(text)[0]) {
      if (from !== undefined && (isBuiltin(from) || isLeftOut(from))) continue;
      if (dynamic === META) continue;
      const names = dynamic === STATIC && attributes === null ? namesIn(text.slice(start, end)) : undefined;
      if (from === undefined || names === undefined) return undefined;
      // A file that was left out is named from the folder that esbuild was to write to, the root of all.
      statements.push({ start, end, from: from.startsWith('.') ? resolve('/', from) : from, names });
    }
    return new PackageImports(text, statements);
  }

  /** The text of a module that has all of it under names of its own; the same for all that take the same. */
  readonly source: string;
  readonly isEmpty: boolean;
  private readonly text: string;
  private readonly statements: readonly Statement[];
  /** What each thing is called in `source`, by package and name. */
  private readonly aliases: ReadonlyMap<string, string>;

  private constructor(text: string, statements: readonly Statement[]) {
    this.text = text;
    this.statements = statements;
    this.isEmpty = statements.length === 0;
    const lines: string[] = [];
    const aliases = new Map<string, string>();
    for (const [from, names] of sorted(takenBy(statements))) {
      if (names.size === 0) lines.push(`import ${JSON.stringify(from)};`);
      for (const name of [...names].sort()) {
        const alias = `p${aliases.size}`;
        aliases.set(`${from} ${name}`, alias);
        lines.push(
          `export ${name === '*' ? `* as ${alias}` : `{ ${name} as ${alias} }`} from ${JSON.stringify(from)};`,
        );
      }
    }
    this.source = lines.join('\n');
    this.aliases = aliases;
  }

  /** The module, which takes all of it from the file of that name beside it, and what has moved for that. */
  importing(file: string): { readonly text: string; readonly moves: readonly Move[] } {
    let text = '';
    let from = 0;
    const moves: Move[] = [];
    for (const statement of this.statements) {
      const names = [...statement.names].map(
        ([local, name]) => `${this.aliases.get(`${statement.from} ${name}`)} as ${local}`,
      );
      const clause = names.length === 0 ? '' : `{${names.join(',')}}from`;
      text += `${this.text.slice(from, statement.start)}import${clause}${JSON.stringify(`./${file}`)}`;
      from = statement.end;
      const { line, column } = endOf(text);
      moves.push({ line, column, by: column - endOf(this.text.slice(0, from)).column });
    }
    return { text: text + this.text.slice(from), moves };
  }
}

/** How es-module-lexer says that an import is a statement, and that it is `import.meta`. */
const STATIC = -1;
const META = -2;

/** The names of an import statement as esbuild prints them: `import a,{b as c}from"x"`, `import*as d from"x"`, `import"x"`. */
function namesIn(statement: string): ReadonlyMap<string, string> | undefined {
  const parts =
    /^import\s*(?:([\w$]+)\s*,?)?\s*(?:\*\s*as\s+([\w$]+)|\{([^{}]*)\})?\s*(?:from\s*)?["'][^"']*["']$/.exec(statement);
  if (parts === null) return undefined;
  const [, whole, namespace, list = ''] = parts;
  const names = new Map<string, string>();
  if (whole !== undefined) names.set(whole, 'default');
  if (namespace !== undefined) names.set(namespace, '*');
  for (const item of list.split(',').map((one) => one.trim())) {
    if (item === '') continue;
    const [, name, local] = /^([\w$]+)(?:\s+as\s+([\w$]+))?$/.exec(item) ?? [];
    if (name === undefined) return undefined;
    names.set(local ?? name, name);
  }
  return names;
}

function endOf(text: string): { readonly line: number; readonly column: number } {
  const lines = text.split('\n');
  return { line: lines.length - 1, column: lines.at(-1)?.length ?? 0 };
}

function takenBy(statements: readonly Statement[]): Taken {
  const taken = new Map<string, Set<string>>();
  for (const { from, names } of statements) {
    const known = taken.get(from) ?? new Set();
    for (const name of names.values()) known.add(name);
    taken.set(from, known);
  }
  return taken;
}

function sorted(taken: Taken): (readonly [string, ReadonlySet<string>])[] {
  return [...taken].sort(([a], [b]) => (a < b ? -1 : 1));
}
