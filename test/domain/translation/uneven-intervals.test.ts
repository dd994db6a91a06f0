import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseOccurrenceEvent } from '../../../lib/domain/occurrence-event.ts';
import { planAdmission } from '../../../lib/domain/run/plan-admission.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import type { AwsSchedule } from '../../../lib/domain/translation/aws-schedule.ts';
import { firingsBetween, supplementsBetween, surplusBetween } from '../../../lib/domain/translation/supplements.ts';
import { translateSchedule } from '../../../lib/domain/translation/translate-schedule.ts';
import { bruteForceFirings } from '../../support/brute-force-matcher.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function translated(expression: string | string[], timeZone = 'UTC'): readonly AwsSchedule[] {
  return translateSchedule(parseSchedule(expression, { timeZone }));
}

describe('@every that does not divide the day', () => {
  test.each<[string, string, number]>([
    ['@every 5h', 'cron(0 * * * ? *)', 5 * HOUR_MS],
    ['rate(11 hours)', 'cron(0 * * * ? *)', 11 * HOUR_MS],
    ['@every 7m', 'cron(* * * * ? *)', 7 * MINUTE_MS],
    ['@every 25m', 'cron(0/5 * * * ? *)', 25 * MINUTE_MS],
    ['@every 4h30m', 'cron(0,30 * * * ? *)', 270 * MINUTE_MS],
    ['@every 36h', 'cron(0 0,12 * * ? *)', 36 * HOUR_MS],
    ['@every 2d', 'cron(0 0 * * ? *)', 2 * DAY_MS],
    ['@every 14d', 'cron(0 0 ? * 5 *)', 14 * DAY_MS],
    ['@every 1d1m', 'cron(* * * * ? *)', 1441 * MINUTE_MS],
  ])('%s is one schedule in UTC without a start, and says what counts', (expression, cron, everyMs) => {
    expect(translated(expression, 'America/New_York')).toEqual([{ expression: cron, timeZone: 'UTC', everyMs }]);
  });

  test('a week is exact', () => {
    expect(translated('@every 7d')).toEqual([{ expression: 'cron(0 0 ? * 5 *)', timeZone: 'UTC' }]);
  });

  test('in a list it goes where others fire its times, and stands by itself where they do not', () => {
    expect(translated(['@every 5h', '*/15 * * * *'])).toEqual([
      { expression: 'cron(0/15 * * * ? *)', timeZone: 'UTC' },
    ]);
    expect(translated(['@every 10h', '@every 5h', 'rate(5 hours)'])).toEqual([
      { expression: 'cron(0 * * * ? *)', timeZone: 'UTC', everyMs: 5 * HOUR_MS },
    ]);
    expect(translated(['@every 5h', '@every 7h', '0 8 * * *'], 'Europe/Berlin')).toEqual([
      { expression: 'cron(0 8 * * ? *)', timeZone: 'Europe/Berlin' },
      { expression: 'cron(0 * * * ? *)', timeZone: 'UTC', everyMs: 5 * HOUR_MS },
      { expression: 'cron(0 * * * ? *)', timeZone: 'UTC', everyMs: 7 * HOUR_MS },
    ]);
  });
});

/** What a function starts of all that the schedules send it, by the event that they send. */
function startedBetween(awsSchedules: readonly AwsSchedule[], from: number, to: number): number[] {
  const job = jobDefinition();
  const started = new Set<number>();
  for (const { everyMs, ...fires } of awsSchedules) {
    for (const at of bruteForceFirings([fires], from, to)) {
      const sent = { job: job.name, scheduledTime: new Date(at).toISOString(), revision: job.revision, everyMs };
      const event = parseOccurrenceEvent(JSON.parse(JSON.stringify(sent)), job.name);
      if (planAdmission(event, job, at) === 'admit') started.add(at);
    }
  }
  return [...started].sort((one, other) => one - other);
}

test('what is fired without what is refused is what is due, whatever the interval, alone and beside others', () => {
  const interval = fc.oneof(
    fc.integer({ min: 1, max: 24 * 60 }).map((minutes) => `@every ${minutes}m`),
    fc.integer({ min: 1, max: 24 * 8 }).map((hours) => `@every ${hours}h`),
    fc.integer({ min: 1, max: 40 }).map((days) => `rate(${days} ${days === 1 ? 'day' : 'days'})`),
  );
  const beside = fc.constantFrom('0 8 * * *', '*/15 * * * *', '0 0 * * 4', '30 1-5 * * 1', '@hourly');
  const lists = fc.tuple(fc.array(interval, { minLength: 1, maxLength: 3 }), fc.array(beside, { maxLength: 2 }));
  const zone = fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu');
  const start = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) });
  fc.assert(
    fc.property(lists, zone, start, ([intervals, others], timeZone, from) => {
      const to = from + 9 * DAY_MS;
      const schedule = parseSchedule([...intervals, ...others], { timeZone, dst: { fold: 'first' } });
      const awsSchedules = translateSchedule(schedule);
      const due = [...schedule.between(from, to)];
      expect(startedBetween(awsSchedules, from, to)).toEqual(due);
      expect([...firingsBetween(awsSchedules, from, to)]).toEqual(due);
      expect([...supplementsBetween(schedule, awsSchedules, from, to)]).toEqual([]);
      expect([...surplusBetween(schedule, awsSchedules, from, to)]).toEqual([]);
      for (const each of awsSchedules) expect(each.startAt).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});
