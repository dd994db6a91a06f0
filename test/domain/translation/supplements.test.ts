import { describe, expect, test } from 'vitest';
import type { DstPolicy } from '../../../lib/domain/job.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import { parseAwsExpression } from '../../../lib/domain/translation/parse-aws-expression.ts';
import { firstStartFrom, supplementsBetween, surplusBetween } from '../../../lib/domain/translation/supplements.ts';
import { translateSchedule } from '../../../lib/domain/translation/translate-schedule.ts';

const YEAR = [Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1)] as const;

function left(expression: string, timeZone: string, dst: DstPolicy): { supplements: string[]; surplus: string[] } {
  const schedule = parseSchedule(expression, { timeZone, dst });
  const aws = translateSchedule(schedule);
  const iso = (instants: Iterable<number>) => Array.from(instants, (instant) => new Date(instant).toISOString());
  return {
    supplements: iso(supplementsBetween(schedule, aws, ...YEAR)),
    surplus: iso(surplusBetween(schedule, aws, ...YEAR)),
  };
}

describe('what EventBridge leaves to the watchdog in 2027', () => {
  test.each<[string, string, DstPolicy, string[], string[]]>([
    ['30 2 * * *', 'America/New_York', {}, [], []],
    ['30 2 * * *', 'America/New_York', { gap: 'runAfter' }, ['2027-03-14T07:00:00.000Z'], []],
    ['30 1 * * *', 'America/New_York', { fold: 'both' }, ['2027-11-07T06:30:00.000Z'], []],
    ['30 1 * * *', 'America/New_York', { fold: 'second' }, ['2027-11-07T06:30:00.000Z'], ['2027-11-07T05:30:00.000Z']],
    ['*/15 * * * *', 'America/New_York', {}, [], []],
    ['0 */2 * * *', 'America/Havana', {}, ['2027-11-07T05:00:00.000Z'], []],
    ['0 * * * *', 'Australia/Lord_Howe', {}, [], []],
    ['40 * * * *', 'Australia/Lord_Howe', {}, ['2027-04-03T15:10:00.000Z'], []],
    ['0 0 * * *', 'Asia/Beirut', { gap: 'runAfter' }, ['2027-03-27T22:00:00.000Z'], []],
  ])('%s in %s under %j', (expression, timeZone, dst, supplements, surplus) => {
    expect(left(expression, timeZone, dst)).toEqual({ supplements, surplus });
  });
});

describe('EventBridge expressions read back', () => {
  test('a fold fires once, at its first pass, even for an interval', () => {
    const firings = parseAwsExpression('cron(0/30 * * * ? *)', 'America/New_York').between(
      Date.UTC(2027, 10, 7, 5),
      Date.UTC(2027, 10, 7, 7),
    );
    expect(Array.from(firings, (instant) => new Date(instant).toISOString())).toEqual([
      '2027-11-07T05:30:00.000Z',
      '2027-11-07T07:00:00.000Z',
    ]);
  });

  test('rate() fires at its start first, cron() from its start on', () => {
    const startAt = Date.UTC(2027, 0, 1, 0, 5);
    const rate = parseAwsExpression('rate(7 minutes)', 'UTC', { startAt });
    expect(rate.next(0)).toBe(startAt);
    expect(rate.next(startAt)).toBe(startAt + 420_000);
    const cron = parseAwsExpression('cron(5 0 * * ? *)', 'UTC', { startAt });
    expect(cron.next(0)).toBe(startAt);
    expect(cron.previous(startAt)).toBeUndefined();
    expect([...cron.between(0, startAt + 86_400_000)]).toEqual([startAt, startAt + 86_400_000]);
  });

  test('a start in the past is moved on without moving the occurrences', () => {
    const schedule = { expression: 'rate(7 hours)', timeZone: 'UTC', startAt: 0 };
    const moved = firstStartFrom(schedule, Date.UTC(2027, 0, 1));
    expect(moved.startAt).toBeGreaterThanOrEqual(Date.UTC(2027, 0, 1));
    expect((moved.startAt ?? 0) % (7 * 3_600_000)).toBe(0);
    expect(firstStartFrom({ expression: 'cron(0 0 * * ? *)', timeZone: 'UTC' }, 5)).toEqual({
      expression: 'cron(0 0 * * ? *)',
      timeZone: 'UTC',
    });
  });
});

test('a schedule of another make is refused', () => {
  const foreign = { expressions: [], timeZone: 'UTC', next: () => 1, previous: () => 1, between: () => [] };
  expect(() => translateSchedule(foreign)).toThrow('was not made by parseSchedule');
});
