import { describe, expect, test } from 'vitest';
import {
  planBackfill,
  planPause,
  planSkip,
  planTrigger,
  splitBackfill,
} from '../../../lib/domain/operate/plan-operations.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const hourly = parseSchedule('0 * * * *', { timeZone: 'UTC' });
const job = jobDefinition();

test('a trigger leaves out seconds at which the job is due', () => {
  expect(planTrigger(hourly, NOON + 400).next().value).toBe(NOON + 1_000);
  expect(planTrigger(hourly, NOON + 1_400).next().value).toBe(NOON + 1_000);
  expect([...planTrigger(hourly, NOON)]).toHaveLength(59);
});

test('a pause whose end has come is none', () => {
  const turn = { job: 'sync', version: 0, paused: true, pausedBy: 'ann', pausedUntil: NOON };
  expect(planPause(job, 'why', turn, NOON)).toBe('why');
  expect(() => planPause(job, 'why', turn, NOON - 1)).toThrow("'sync' is paused already by ann: resume it first");
});

test.each(['skip', 'bufferOne', 'cancelOther'] as const)('a job with overlap %s can be paused', (overlap) => {
  expect(planPause({ ...job, overlap }, 'why', { job: 'sync', version: 0 }, NOON)).toBe('why');
});

test('a job with overlap allow can be paused if its runs look at the pause', () => {
  const turn = { job: 'sync', version: 0 };
  const refusal = /starts without looking whether its job is paused; declare it with pausable: true and deploy/;
  expect(() => planPause({ ...job, overlap: 'allow' }, 'why', turn, NOON)).toThrow(refusal);
  expect(() => planPause({ ...job, overlap: 'allow', pausable: false }, 'why', turn, NOON)).toThrow(refusal);
  expect(planPause({ ...job, overlap: 'allow', pausable: true }, 'why', turn, NOON)).toBe('why');
  expect(planPause({ ...job, overlap: 'allow', onTimeout: 'hold' }, 'why', turn, NOON)).toBe('why');
});

test('a wall time of the gap is no occurrence, and its zone is named', () => {
  const schedule = parseSchedule('30 2 * * *', { timeZone: 'Europe/Berlin' });
  expect(() => planSkip(job, schedule, Date.parse('2026-03-29T01:30:00Z'), undefined)).toThrow(
    /2026-03-29T01:30:00Z is no occurrence .*Europe\/Berlin.* nearest are 2026-03-28T01:30:00Z and 2026-03-30T00:30:00Z/,
  );
});

describe('backfill', () => {
  test('a range of a thousand years is refused at once', () => {
    const range = { from: NOON - 1_000 * 365 * 24 * HOUR, to: NOON, limit: 3 };
    expect(() => planBackfill(job, hourly, range, NOON)).toThrow(/more than 3 .* up to/);
  });

  test('exactly the limit is allowed', () => {
    expect(planBackfill(job, hourly, { from: NOON - 3 * HOUR, to: NOON, limit: 3 }, NOON)).toHaveLength(3);
  });

  test('what runs or waits is asked for again, what is finished is counted', () => {
    const record = { job: 'sync', fencingToken: 0, attempts: 0, trigger: 'schedule' } as const;
    const runs = (['missed', 'running', 'pending', 'skipped', 'missed'] as const).map((status, index) => ({
      ...record,
      status,
      scheduledTime: NOON + index * HOUR,
    }));
    const due = [...runs.map(({ scheduledTime }) => scheduledTime), NOON + 9 * HOUR];
    expect(splitBackfill(due, runs)).toEqual({
      open: [NOON + HOUR, NOON + 2 * HOUR, NOON + 9 * HOUR],
      done: { missed: 2, skipped: 1 },
    });
  });
});
