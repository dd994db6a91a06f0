import { describe, expect, test } from 'vitest';
import { watchedJob } from '../../../lib/domain/watch/due.ts';
import { auditRows, planAudits } from '../../../lib/domain/watch/plan-audit.ts';
import { intervalSchedule } from '../../support/interval-schedule.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const job = (name: string) => watchedJob(jobDefinition({ name }), intervalSchedule(10 * MINUTE));

describe('planAudits', () => {
  const jobs = Array.from({ length: 600 }, (_, index) => job(`job-${index}`));

  test('each job has its turn once an hour, and the hours touch', () => {
    const seen = new Map<string, { from: number; to: number }[]>();
    for (let minute = 1; minute <= 180; minute++) {
      const sweptAt = NOON + (minute - 1) * MINUTE + 1_000;
      for (const { job: one, from, to } of planAudits(jobs, { sweptAt, now: sweptAt + MINUTE, since: 0 })) {
        seen.set(one.entry.name, [...(seen.get(one.entry.name) ?? []), { from, to }]);
      }
    }
    expect(seen.size).toBe(600);
    for (const windows of seen.values()) {
      expect(windows).toHaveLength(3);
      expect(windows.slice(1).map(({ from }) => from)).toEqual(windows.slice(0, -1).map(({ to }) => to));
    }
  });

  test('no minute has much more than its share', () => {
    const counts = Array.from({ length: 60 }, (_, minute) => {
      const sweptAt = NOON + minute * MINUTE;
      return planAudits(jobs, { sweptAt, now: sweptAt + MINUTE, since: 0 }).length;
    });
    expect(Math.max(...counts)).toBeLessThan(30);
  });

  test('after an outage each job is looked at once', () => {
    const window = { sweptAt: NOON - 600 * MINUTE, now: NOON, since: 0 };
    expect(planAudits(jobs, window)).toHaveLength(600);
  });

  test('nothing from before the definition is looked at', () => {
    const window = { sweptAt: NOON - 60 * MINUTE, now: NOON, since: NOON + MINUTE };
    expect(planAudits([job('job-1')], window)).toEqual([]);
  });
});

test('only runs that nobody asked for, at instants that are not the job’s, are found', () => {
  const row = (minutes: number, overrides = {}) => ({
    key: 'R#',
    scheduledTime: NOON + minutes * MINUTE,
    status: 'succeeded' as const,
    trigger: 'schedule' as const,
    ...overrides,
  });
  const rows = [
    row(0),
    row(3),
    row(4, { trigger: 'manual' }),
    row(5, { status: 'skipped' }),
    { ...row(6), scheduledTime: undefined },
  ];
  const found = auditRows({ job: job('sync'), from: NOON - MINUTE, to: NOON + 10 * MINUTE }, rows);
  expect(found).toEqual([
    {
      kind: 'tooOften',
      key: { job: 'sync', scheduledTime: NOON + 3 * MINUTE },
      observedMs: 3 * MINUTE,
      limitMs: 10 * MINUTE,
    },
  ]);
});
