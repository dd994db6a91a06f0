import { describe, expect, test } from 'vitest';
import type { CatchUpPolicy } from '../../../lib/domain/job.ts';
import { planCatchUp } from '../../../lib/domain/watch/plan-catch-up.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

/** An hourly job whose last `periods` occurrences up to noon did not start. */
function outage(periods: number) {
  return Array.from({ length: periods }, (_, index) => {
    const laterDue = periods - 1 - index;
    return { scheduledTime: NOON - laterDue * HOUR, laterDue };
  });
}

const policies: Record<string, CatchUpPolicy> = {
  none: { policy: 'none', maxAgeMs: 100 * HOUR, maxRuns: 5 },
  latest: { policy: 'latest', maxAgeMs: 100 * HOUR, maxRuns: 5 },
  'all, 5 runs': { policy: 'all', maxAgeMs: 100 * HOUR, maxRuns: 5 },
  'all, 3 hours': { policy: 'all', maxAgeMs: 3 * HOUR, maxRuns: 50 },
};

describe('planCatchUp', () => {
  test.each([
    // outage of 0 to 10 periods
    ['none', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['latest', [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
    ['all, 5 runs', [0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5]],
    ['all, 3 hours', [0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4]],
  ] as const)('%s: runs started after an outage of 0 to 10 periods', (name, expected) => {
    const policy = policies[name];
    if (policy === undefined) throw new Error(name);
    const started = expected.map((_, periods) => planCatchUp(outage(periods), policy, NOON).start.length);
    expect(started).toEqual(expected);
  });

  test('what starts is the newest, oldest first; the rest is given up, nothing is in both', () => {
    const { start, giveUp } = planCatchUp(outage(4), { policy: 'all', maxAgeMs: 100 * HOUR, maxRuns: 2 }, NOON);
    expect(start.map((one) => one.scheduledTime)).toEqual([NOON - HOUR, NOON]);
    expect(giveUp.map((one) => one.scheduledTime)).toEqual([NOON - 3 * HOUR, NOON - 2 * HOUR]);
  });

  test('a month-old table starts at most maxRuns, wherever the sweep is cut', () => {
    const month = outage(720);
    const policy: CatchUpPolicy = { policy: 'all', maxAgeMs: 10_000 * HOUR, maxRuns: 3 };
    let started = 0;
    for (let cut = 0; cut < month.length; cut += 50) {
      started += planCatchUp(month.slice(cut, cut + 50), policy, NOON).start.length;
    }
    expect(started).toBe(3);
  });
});
