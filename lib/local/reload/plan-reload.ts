import { isDeepStrictEqual } from 'node:util';
import { isManifestPart } from '../../domain/contract/names.ts';
import type { LocalResources } from '../assembly/resources.ts';
import { jobOf } from '../firing-delivery.ts';

export interface ReloadPlan {
  /** Whether there is anything to take over. */
  readonly isNeeded: boolean;
  /** Functions whose code or settings changed. */
  readonly changedFunctions: ReadonlySet<string>;
  /** What a person should be told: what became of the jobs, and of what is declared beside them. */
  readonly summary: readonly string[];
}

/** What a change of the app means for what runs. */
export function planReload(before: LocalResources, after: LocalResources): ReloadPlan {
  const functions = compare(before.functions, after.functions);
  const schedules = compare(before.schedules, after.schedules);
  const others: readonly (readonly [string, Comparison])[] = [
    ['alarm', compare(before.alarms, after.alarms)],
    ['event source', compare(before.streams, after.streams)],
    ['table', compare(before.tables, after.tables)],
  ];
  const parts: readonly (readonly [string, Comparison])[] = [
    ['job', compare(jobsOf(before), jobsOf(after))],
    ['function', compare(functionsBesideJobs(before), functionsBesideJobs(after))],
    ['schedule', compare(schedulesBesideJobs(before), schedulesBesideJobs(after))],
    ...others,
  ];
  const summary = parts.flatMap(([kind, { added, changed, removed }]) => [
    ...line(`new ${kind}`, added),
    ...line(`changed ${kind}`, changed),
    ...line(`removed ${kind}`, removed),
  ]);
  const all = [functions, schedules, ...others.map(([, comparison]) => comparison)];
  return {
    isNeeded: all.some(({ added, changed, removed }) => added.length + changed.length + removed.length > 0),
    changedFunctions: new Set(functions.changed),
    summary,
  };
}

interface Named {
  readonly name: string;
}

/** Each job with all that makes it what it is: its definition, the function of its own, its schedules. */
function jobsOf({ functions, schedules }: LocalResources): readonly Named[] {
  const ofJobs = Map.groupBy(schedules, jobOf);
  return functions.flatMap((lambda) =>
    lambda.jobs.map((definition) => ({
      name: definition.name,
      definition,
      schedules: ofJobs.get(definition.name),
      ...(lambda.job === undefined ? {} : { lambda }),
    })),
  );
}

function functionsBesideJobs({ functions }: LocalResources): readonly Named[] {
  return functions.filter(({ job }) => job === undefined);
}

/** The parts of the manifest say of the jobs what the jobs themselves say. */
function schedulesBesideJobs({ functions, schedules }: LocalResources): readonly Named[] {
  const jobs = new Set(functions.flatMap((lambda) => lambda.jobs.map(({ name }) => name)));
  return schedules.filter((schedule) => !isManifestPart(schedule.name) && !jobs.has(jobOf(schedule) ?? ''));
}

interface Comparison {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

function compare(before: readonly Named[], after: readonly Named[]): Comparison {
  const old = new Map(before.map((resource) => [resource.name, resource]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: [...names].filter((name) => !old.has(name)),
    changed: after
      .filter((resource) => {
        const known = old.get(resource.name);
        return known !== undefined && !isDeepStrictEqual(known, resource);
      })
      .map(({ name }) => name),
    removed: [...old.keys()].filter((name) => !names.has(name)),
  };
}

function line(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 3).join(', ');
  return [`${what}${names.length > 1 ? 's' : ''} ${shown}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`];
}
