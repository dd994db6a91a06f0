import { test } from 'vitest';
import { checkOccurrences } from '../../support/occurrence-properties.ts';

test(
  '10,000 random schedules agree with the brute-force matcher',
  () => checkOccurrences(10_000, [1970, 2199]),
  3_600_000,
);
