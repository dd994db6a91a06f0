import { describe, expect, test } from 'vitest';
import { LAYOUTS } from '../support/update/app-scopes.ts';
import { ALL_PAIRS } from '../support/update/update-pairs.ts';
import { verdictOf } from '../support/update/update-verdict.ts';

describe.each(LAYOUTS)('jobs and tables %s', (layout) => {
  test.each(ALL_PAIRS)('$name', (pair) => {
    for (const { stuck } of verdictOf(layout, pair)) expect(stuck).toEqual([]);
  });
});
