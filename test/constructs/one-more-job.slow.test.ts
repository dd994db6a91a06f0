import { expect, test } from 'vitest';
import { ANOTHER, changedStacks, deployedStacks } from '../support/one-more-job.ts';

test.each([
  { kind: 'own', stacks: 10 },
  { kind: 'fleet', stacks: 3 },
] as const)('one more job beside a thousand ($kind) changes one stack, whatever it imports', (many) => {
  const before = deployedStacks({ ...many, count: 1000 });
  for (const another of Object.values(ANOTHER)) {
    const changed = changedStacks(before, deployedStacks({ ...many, count: 1000, another }));
    expect(changed).toEqual([expect.stringMatching(/^Jobs-\d\d$/)]);
  }
});
