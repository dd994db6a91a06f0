import { describe, expect, test } from 'vitest';
import type { DstPolicy } from '../../../lib/domain/job.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import { reviewSchedule } from '../../../lib/domain/schedule/review-schedule.ts';

const FROM = Date.UTC(2026, 10, 29);

function codes(expression: string | string[], timeZone = 'UTC', dst: DstPolicy = {}): string[] {
  return reviewSchedule(parseSchedule(expression, { timeZone, dst }), FROM).map(({ code }) => code);
}

function message(expression: string, timeZone = 'UTC', dst: DstPolicy = {}): string {
  return reviewSchedule(parseSchedule(expression, { timeZone, dst }), FROM)
    .map((warning) => warning.message)
    .join('\n');
}

describe('what may not have been meant', () => {
  test.each<[string, string[]]>([
    ['0 8 * * 1-5', []],
    ['*/15 8 * * *', []],
    ['3/10 8 * * *', []],
    ['0 0 1 */3 *', []],
    ['0 0 L * *', []],
    ['0 0 31,L * *', []],
    ['*/45 8 * * *', ['UnevenStep']],
    ['50/20 8 * * *', ['StepTooLarge']],
    ['*/90 8 * * *', ['StepTooLarge']],
    ['0 */5 * * *', ['UnevenStep']],
    ['0 */24 * * *', ['StepTooLarge']],
    ['0 0 */2 * *', ['UnevenStep']],
    ['0 0 * * */2', ['UnevenStep']],
    ['0 0 * * 1/2', ['StepReachesSunday', 'UnevenStep']],
    ['0 0 1 */5 *', ['UnevenStep']],
    ['0 0 31 * *', ['MonthsWithoutDay']],
    ['0 0 30 * *', ['MonthsWithoutDay']],
    ['0 0 29 * *', ['MonthsWithoutDay']],
    ['0 9 31W * *', ['MonthsWithoutDay']],
    ['0 0 * * 1#5', ['MonthsWithoutDay']],
    ['0 0 31 1,3 *', []],
    ['0 0 29 2 *', ['Rare']],
    ['0 0 * 2 1#5', ['MonthsWithoutDay', 'Rare']],
    ['* 8 * * *', ['EveryMinuteOfHour']],
    ['* * * * *', ['ManyRuns']],
    ['@every 1m', ['ManyRuns']],
    ['@every 7h', []],
    ['0 0 13 * 5', ['EitherDay']],
    ['0 0 1-7 * 1', ['EitherDay', 'NthWeekdayMistaken']],
    ['0 0 10 * */2', ['UnevenStep', 'EitherDay', 'ReadDifferentlyByVixie']],
    ['cron(0 8 ? * MON 2020)', ['NoOccurrence']],
    ['@reboot', ['OnDeployment']],
  ])('%s: %j', (expression, wanted) => {
    expect(codes(expression)).toEqual(wanted);
  });

  test.each([
    [
      '*/90 * * * *',
      "once an hour: the step leaves the field; for every 90 minutes of elapsed time write '@every 90m'",
    ],
    ['*/45 * * * *', "the last interval is 15, not 45; for every 45 minutes of elapsed time write '@every 45m'"],
    ['0 0 31 * *', '7 of these 12 months have it'],
    ['30 4 8-14 * TUE', "for that write '30 4 * * 2#2'"],
    ['30 4 25-31 * 0', "for that write '30 4 * * 0L'"],
    ['* 0 * * *', "for once an hour write '0 0 * * *'"],
    ['* * * * *', '1,440 runs a day, 43,200 in 30 days'],
    ['* * 1 * *', '1,440 runs on each of its days, each of them billed'],
    ['0 0 29 2 *', '2028-02-29, 2032-02-29, 2036-02-29'],
  ])('%s says: %s', (expression, wanted) => {
    expect(message(expression)).toContain(wanted);
  });
});

describe('changes of the clock in the next three years', () => {
  test.each<[string, string, DstPolicy, string[]]>([
    ['0 8 * * *', 'America/New_York', {}, []],
    ['30 2 * * *', 'America/New_York', {}, ['SkippedInGap']],
    ['30 2 * * *', 'America/New_York', { gap: 'runAfter' }, ['RunsAfterGap']],
    ['30 2 * * *', 'Asia/Tokyo', {}, []],
    ['30 1 * * *', 'America/New_York', {}, ['TwiceInFold']],
    ['0 0 * * *', 'America/Havana', {}, ['SkippedInGap', 'TwiceInFold']],
    ['*/15 * * * *', 'America/New_York', {}, ['IntervalInFold']],
    ['*/15 * * * *', 'America/New_York', { fold: 'first' }, ['IntervalPausesInFold']],
    ['0 */2 * * *', 'America/New_York', {}, ['SkippedInGap']],
    ['@every 1d', 'America/New_York', {}, ['ElapsedDays']],
    ['30 2 * 3 0#2', 'America/New_York', {}, ['SkippedInGap', 'NoOccurrence']],
    ['0 8 * * *', 'Europe/Kyiv', {}, ['RecentZoneName']],
    ['0 8 * * *', 'Etc/GMT+5', {}, ['InvertedZoneSign']],
    ['0 8 * * *', 'US/Pacific', {}, ['ZoneAlias']],
  ])('%s in %s under %j: %j', (expression, timeZone, dst, wanted) => {
    expect(codes(expression, timeZone, dst)).toEqual(wanted);
  });

  test('are told with their date', () => {
    expect(message('30 2 * * *', 'America/New_York', { gap: 'runAfter' })).toBe(
      "'30 2 * * *': 02:30 does not exist on 2027-03-14 in America/New_York: it runs at 03:00 instead, the first time after the gap",
    );
    expect(message('0,30 1 * * *', 'Europe/London')).toContain(
      'on 2027-03-28 in Europe/London: there is no run for it',
    );
    expect(message('30 1 * * *', 'America/New_York', { fold: 'both' })).toBe(
      "'30 1 * * *': on 2027-11-07 the clock of America/New_York shows 60 minutes twice, among them 01:30: it runs twice",
    );
    expect(message('0 8 * * *', 'Etc/GMT+5')).toContain('is 5 hours behind UTC');
  });
});
