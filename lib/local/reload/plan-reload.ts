import { isDeepStrictEqual } from 'node:util';
import type { LocalResources } from '../assembly/resources.ts';

export interface ReloadPlan {
  /** Functions whose code or settings changed. */
  readonly changedFunctions: ReadonlySet<string>;
  /** What a person should be told, empty when nothing changed. */
  readonly summary: readonly string[];
}

/** What a change of the app means for what runs. */
export function planReload(before: LocalResources, after: LocalResources): ReloadPlan {
  const functions = compare(before.functions, after.functions, ({ name }) => name);
  const parts: readonly (readonly [string, Comparison])[] = [
    ['function', functions],
    ['schedule', compare(before.schedules, after.schedules, ({ name }) => name)],
    ['alarm', compare(before.alarms, after.alarms, ({ name }) => name)],
    ['event source', compare(before.streams, after.streams, ({ name }) => name)],
    ['table', compare(before.tables, after.tables, ({ name }) => name)],
  ];
  const summary = parts.flatMap(([kind, { added, changed, removed }]) => [
    ...line(`new ${kind}`, added),
    ...line(`changed ${kind}`, changed),
    ...line(`removed ${kind}`, removed),
  ]);
  return { changedFunctions: new Set(functions.changed), summary };
}

interface Comparison {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

function compare<Resource>(
  before: readonly Resource[],
  after: readonly Resource[],
  nameOf: (resource: Resource) => string,
): Comparison {
  const old = new Map(before.map((resource) => [nameOf(resource), resource]));
  const names = new Set(after.map(nameOf));
  return {
    added: [...names].filter((name) => !old.has(name)),
    changed: after
      .filter((resource) => {
        const known = old.get(nameOf(resource));
        return known !== undefined && !isDeepStrictEqual(known, resource);
      })
      .map(nameOf),
    removed: [...old.keys()].filter((name) => !names.has(name)),
  };
}

function line(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 3).join(', ');
  return [`${what}${names.length > 1 ? 's' : ''} ${shown}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`];
}
