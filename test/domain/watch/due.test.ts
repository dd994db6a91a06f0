import { describe, expect, test } from 'vitest';
import { dueOccurrences, MAX_DUE_PER_SWEEP, watchedJob } from '../../../lib/domain/watch/due.ts';
import type { RosterEntry } from '../../../lib/domain/watch/watch-state.ts';
import { intervalSchedule } from '../../support/interval-schedule.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

function entry(overrides: Partial<RosterEntry> = {}): RosterEntry {
  return {
    name: 'sync',
    schedule: '* * * * *',
    timeZone: 'UTC',
    dst: {},
    startGraceMs: MINUTE,
    retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 1_000, maxDelayMs: 1_000 },
    overlap: 'skip',
    revision: 'r1',
    ...overrides,
  };
}

const everyMinute = watchedJob(entry(), intervalSchedule(MINUTE));

describe('dueOccurrences', () => {
  test('an occurrence is due once its grace and the minute of the scheduler are over', () => {
    const { due } = dueOccurrences([everyMinute], { from: NOON, until: NOON + MINUTE, effectiveFrom: {} });
    expect(due).toEqual([{ job: 'sync', scheduledTime: NOON - MINUTE, startBy: NOON + MINUTE, maxAttempts: 3 }]);
  });

  test('windows that touch neither repeat nor lose an occurrence', () => {
    const seen: number[] = [];
    for (let from = NOON; from < NOON + 60 * MINUTE; from += 7_000) {
      const { due } = dueOccurrences([everyMinute], { from, until: from + 7_000, effectiveFrom: {} });
      seen.push(...due.map((one) => one.scheduledTime));
    }
    const expected = Array.from({ length: seen.length }, (_, index) => NOON - MINUTE + index * MINUTE);
    expect(seen).toEqual(expected);
    expect(seen.length).toBeGreaterThanOrEqual(60);
  });

  test('nothing from before a definition took effect is due', () => {
    const window = { from: NOON, until: NOON + 10 * MINUTE, effectiveFrom: { sync: NOON + 3 * MINUTE } };
    const { due } = dueOccurrences([everyMinute], window);
    expect(due.map((one) => one.scheduledTime)).toEqual([4, 5, 6, 7, 8].map((n) => NOON + n * MINUTE));
  });

  test('after a long outage the window is cut to what one sweep can carry, and the next goes on from there', () => {
    const end = NOON + 30 * 24 * 60 * MINUTE;
    let from = NOON;
    let count = 0;
    let sweeps = 0;
    while (from < end) {
      const { due, until } = dueOccurrences([everyMinute], { from, until: end, effectiveFrom: {} });
      expect(due.length).toBeLessThanOrEqual(MAX_DUE_PER_SWEEP);
      expect(until).toBeGreaterThan(from);
      count += due.length;
      from = until;
      sweeps += 1;
    }
    expect(count).toBe(30 * 24 * 60);
    expect(sweeps).toBeGreaterThan(3);
  });
});
