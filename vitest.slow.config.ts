import { defineConfig } from 'vitest/config';

/** The long property and chaos tests, apart from those that run before every commit. */
export default defineConfig({
  test: {
    include: ['test/**/*.slow.test.ts'],
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    passWithNoTests: true,
  },
});
