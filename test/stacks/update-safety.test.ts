import { afterAll, describe, expect, test } from 'vitest';
import { declaredProps } from '../support/declared-props.ts';
import { APP_OPTIONS } from '../support/update/app-options.ts';
import { LAYOUTS } from '../support/update/app-scopes.ts';
import { quickPairs } from '../support/update/update-pairs.ts';
import { type Verdict, verdictOf } from '../support/update/update-verdict.ts';

const counts: Record<Verdict['is'], number> = { safe: 0, told: 0 };

test('every property that a user can set has a pair, or says why it needs none', () => {
  const known = Object.entries(APP_OPTIONS).flatMap(([owner, properties]) =>
    Object.keys(properties).map((property) => `${owner}.${property}`),
  );
  expect(known.sort()).toEqual(
    declaredProps()
      .map(({ owner, name }) => `${owner}.${name}`)
      .sort(),
  );
});

describe.each(LAYOUTS)('jobs and tables %s', (layout) => {
  test.each(quickPairs(layout))('$name', (pair) => {
    for (const verdict of verdictOf(layout, pair)) {
      expect(verdict.stuck).toEqual([]);
      counts[verdict.is]++;
    }
  });
});

afterAll(() => {
  const { safe, told } = counts;
  process.stdout.write(
    `deployments compared: ${safe + told}; safe: ${safe}; told of, with a way out in two steps: ${told}\n`,
  );
});
