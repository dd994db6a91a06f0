import { test } from 'vitest';
import { checkOccurrences } from '../../support/occurrence-properties.ts';

test('500 random schedules agree with the brute-force matcher', () => checkOccurrences(500, [2024, 2037]));
