import { expect, test } from 'vitest';
import { ANOTHER, changedStacks, deployedStacks } from '../support/one-more-job.ts';

const many = { kind: 'own', count: 60, stacks: 4 } as const;

test('what is deployed does not depend on where the project lies', () => {
  const before = deployedStacks(many);
  expect([...before.keys()].sort()).toEqual(['Jobs', 'Jobs-00', 'Jobs-01', 'Jobs-02', 'Jobs-03', 'Watch']);
  expect(changedStacks(before, deployedStacks(many))).toEqual([]);
});

test.each(['own', 'fleet'] as const)(
  'one more job (%s) beside sixty changes one stack, whatever it imports',
  (kind) => {
    const before = deployedStacks({ ...many, kind });
    const after = deployedStacks({ ...many, kind, another: ANOTHER['something of each'] ?? '' });
    expect(changedStacks(before, after)).toEqual([expect.stringMatching(/^Jobs-\d\d$/)]);
  },
);
