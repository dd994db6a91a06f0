import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertStory } from '../support/ledger-story.ts';

/** Few, to be quick before every commit; the long version is in `ledger.property.slow.test.ts`. */
const STORIES = 25;

test('whatever goes wrong, each occurrence ends with exactly one disposition', async () => {
  let expected = 0;
  const story = fc.asyncProperty(fc.nat(1_000_000), async (seed) => {
    expected += await assertStory(seed, 24);
  });
  await fc.assert(story, { numRuns: STORIES });
  expect(expected).toBeGreaterThan(STORIES * 20);
});
