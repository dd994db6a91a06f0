import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertStory } from '../support/ledger-story.ts';

const STORIES = 1_500;

test('whatever goes wrong in two days, each occurrence ends with exactly one disposition', async () => {
  let expected = 0;
  const story = fc.asyncProperty(fc.nat(1_000_000), async (seed) => {
    expected += await assertStory(seed, 48);
  });
  await fc.assert(story, { numRuns: STORIES });
  expect(expected).toBeGreaterThan(STORIES * 40);
});
