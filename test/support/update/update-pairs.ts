import { APP_CHANGES, APP_OPTIONS, APP_TRANSITIONS, type Change } from './app-options.ts';
import { LAYOUTS, type Layout } from './app-scopes.ts';

/** An app before and after; each is deployed over the other. */
export interface UpdatePair {
  readonly name: string;
  readonly before: Change;
  readonly after: Change;
  /** A rule whose findings are expected: nothing in the app says what was deployed, so `belfry plan` has to. */
  readonly told?: string;
}

export const asUsual: Change = (app) => app;

/** What synth cannot know of, since it does not see what is deployed: `docs/rules.md` names each, with its way out. */
const TOLD: Readonly<Record<string, string>> = {
  'JobSchedulerProps.table: own': 'ExportInUse',
  'JobSchedulerProps.stacks: raised': 'NameTaken',
};

const OPTION_PAIRS: readonly UpdatePair[] = Object.entries(APP_OPTIONS).flatMap(([owner, properties]) =>
  Object.entries(properties).flatMap(([property, variants]) =>
    typeof variants === 'string'
      ? []
      : Object.entries(variants).map(([variant, after]) => pairOf(`${owner}.${property}: ${variant}`, asUsual, after)),
  ),
);

const OTHER_PAIRS: readonly UpdatePair[] = [
  ...Object.entries(APP_CHANGES).map(([name, after]) => pairOf(name, asUsual, after)),
  ...Object.entries(APP_TRANSITIONS).map(([name, [before, after]]) => pairOf(name, before, after)),
];

function pairOf(name: string, before: Change, after: Change): UpdatePair {
  const told = TOLD[name];
  return { name, before, after, ...(told === undefined ? {} : { told }) };
}

export const ALL_PAIRS: readonly UpdatePair[] = [...OPTION_PAIRS, ...OTHER_PAIRS];

/**
 * Every change of what there is with the jobs spread over stacks and in one other layout by turns; each option that only
 * changes settings of a function once, by turns in another place and another layout.
 */
export function quickPairs(layout: Layout): readonly UpdatePair[] {
  const others = [...OPTION_PAIRS.filter(({ name }) => !isSetting(name)), ...OTHER_PAIRS];
  const [first, second] = LAYOUTS.filter((other) => other !== 'spread');
  const settings = Map.groupBy(
    OPTION_PAIRS.filter(({ name }) => isSetting(name)),
    ({ name }) => name.split(':')[0],
  );
  return [
    ...others.filter((_, index) => layout === 'spread' || layout === (index % 2 === 0 ? first : second)),
    ...[...settings.values()].flatMap((places, index) => {
      const chosen = places[index % places.length];
      return chosen === undefined || layout !== LAYOUTS[index % LAYOUTS.length] ? [] : [chosen];
    }),
  ];
}

function isSetting(name: string): boolean {
  return /^(Job|Retry|CatchUp)Options\./.test(name);
}
