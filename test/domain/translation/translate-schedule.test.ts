import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DstPolicy } from '../../../lib/domain/job.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import type { Schedule } from '../../../lib/domain/schedule/schedule.ts';
import { parseAwsExpression } from '../../../lib/domain/translation/parse-aws-expression.ts';
import { translateSchedule } from '../../../lib/domain/translation/translate-schedule.ts';
import { bruteForceFirings } from '../../support/brute-force-matcher.ts';

function translated(expression: string | string[], timeZone = 'UTC', dst: DstPolicy = {}): string[] {
  return translateSchedule(parseSchedule(expression, { timeZone, dst })).map(
    (schedule) => `${schedule.expression} ${schedule.timeZone}`,
  );
}

describe('an interval goes to UTC where the offsets of its zone allow', () => {
  test.each([
    ['*/15 * * * *', 'America/New_York', ['cron(0/15 * * * ? *) UTC']],
    ['0 * * * *', 'America/New_York', ['cron(0 * * * ? *) UTC']],
    ['0 * * * *', 'Asia/Kathmandu', ['cron(15 * * * ? *) UTC']],
    ['*/30 * * * *', 'Australia/Lord_Howe', ['cron(0,30 * * * ? *) UTC']],
    ['0 * * * *', 'Australia/Lord_Howe', ['cron(0 * * * ? *) Australia/Lord_Howe']],
    ['0 */2 * * *', 'America/New_York', ['cron(0 0/2 * * ? *) America/New_York']],
    ['0 */2 * * *', 'Antarctica/Troll', ['cron(0 0/2 * * ? *) UTC']],
    ['0 */2 * * *', 'Asia/Tokyo', ['cron(0 0/2 * * ? *) Asia/Tokyo']],
    ['*/15 * * * 1-5', 'America/New_York', ['cron(0/15 * ? * 2-6 *) America/New_York']],
    ['0 0-23 * * *', 'America/New_York', ['cron(0 * * * ? *) America/New_York']],
  ])('%s in %s', (expression, timeZone, wanted) => {
    expect(translated(expression, timeZone)).toEqual(wanted);
  });

  test('not where a fold counts once', () => {
    expect(translated('0 * * * *', 'America/New_York', { fold: 'first' })).toEqual([
      'cron(0 * * * ? *) America/New_York',
    ]);
  });
});

describe('the fewest schedules', () => {
  test.each<[string | string[], string[]]>([
    ['0 0 31,L * *', ['cron(0 0 L * ? *)']],
    ['0 0 30,L 4,6 *', ['cron(0 0 30 4,6 ? *)']],
    ['0 0 28,L 2 *', ['cron(0 0 28,29 2 ? *)']],
    ['0 0 28,L * *', ['cron(0 0 28 * ? *)', 'cron(0 0 L * ? *)']],
    ['0 0 * * 5L,5#5', ['cron(0 0 ? * 6L *)']],
    ['0 0 * * 5#1,5#2,5#3,5#4,5L', ['cron(0 0 ? * 6 *)']],
    ['0 0 29W * *', ['cron(0 0 29W * ? *)']],
    ['0 0 31W * *', ['cron(0 0 31W 1,3,5,7,8,10,12 ? *)']],
    ['0 0 L-3 4 *', ['cron(0 0 27 4 ? *)']],
    [
      '0 9 LW * *',
      [
        'cron(0 9 28W 2 ? 1970/4,1971/2,2100-2103)',
        'cron(0 9 29W 2 ? 1972-2096/4,2104/4)',
        'cron(0 9 30W 4,6,9,11 ? *)',
        'cron(0 9 31W 1,3,5,7,8,10,12 ? *)',
      ],
    ],
    [['0 8 * * 1-5', '0 8 * * 6'], ['cron(0 8 ? * 2-7 *)']],
    [
      ['0 8 * * *', '30 8 * * *', '0 17 * * *'],
      ['cron(30 8 * * ? *)', 'cron(0 8,17 * * ? *)'],
    ],
    [
      ['0 * * * *', '30 8 * * *'],
      ['cron(0 * * * ? *)', 'cron(30 8 * * ? *)'],
    ],
    [['0 8 * * *', '0 8 1 * *'], ['cron(0 8 * * ? *)']],
    [['0 8 * * *', '0,30 8 * * *'], ['cron(0,30 8 * * ? *)']],
    [['0 0 1 1 *', '0 0 1 7 *'], ['cron(0 0 1 1,7 ? *)']],
  ])('%j', (expression, wanted) => {
    expect(translated(expression).map((text) => text.replace(/ UTC$/, ''))).toEqual(wanted);
  });
});

test('a union of expressions that have much in common is fired whole', () => {
  const palette = fc
    .tuple(
      fc.constantFrom('0', '30', '0,30', '*/20', '15'),
      fc.constantFrom('8', '17', '8,17', '8-10', '*'),
      fc.constantFrom('*', '1', '15', '1,15', 'L', '31', 'LW', '15W', '28-31'),
      fc.constantFrom('*', '2', '1,2', '4,6'),
      fc.constantFrom('*', '1', '1-5', '6,0', '5L', '1#1', '5#5'),
    )
    .map((fields) => fields.join(' '));
  const february = [Date.UTC(2027, 11, 31), Date.UTC(2028, 2, 2)] as const;
  fc.assert(
    fc.property(fc.array(palette, { minLength: 2, maxLength: 5 }), (expressions) => {
      const schedule = parsedOrSkipped(expressions);
      if (schedule !== undefined) {
        const schedules = translateSchedule(schedule);
        expect(bruteForceFirings(schedules, ...february)).toEqual([...schedule.between(...february)]);
      }
    }),
    { numRuns: 60 },
  );
});

function parsedOrSkipped(expressions: string[]): Schedule | undefined {
  try {
    return parseSchedule(expressions, { timeZone: 'UTC', dst: { fold: 'first' } });
  } catch {
    return undefined;
  }
}

describe('forms that are no five fields', () => {
  test('@every that divides the day is a cron() in UTC, so that it needs no start', () => {
    expect(translated('@every 5m', 'America/New_York')).toEqual(['cron(0/5 * * * ? *) UTC']);
    expect(translated('@every 1d', 'America/New_York')).toEqual(['cron(0 0 * * ? *) UTC']);
    expect(translated(['@every 1h', '*/15 * * * *'], 'America/New_York')).toEqual(['cron(0/15 * * * ? *) UTC']);
  });

  test('@every that has an anchor is a rate() with a start', () => {
    const anchored = parseSchedule('@every 24h', { timeZone: 'UTC', anchor: 60_000 });
    expect(translateSchedule(anchored)).toEqual([
      { expression: 'rate(1 day)', timeZone: 'UTC', startAt: 60_000 + 86_400_000 },
    ]);
  });

  test('@reboot is none', () => {
    expect(translated('@reboot')).toEqual([]);
    expect(translated(['@reboot', '0 8 * * *'])).toEqual(['cron(0 8 * * ? *) UTC']);
  });

  test('at() stays as it is, unless a policy moves it', () => {
    expect(translated('at(2026-07-01T08:00:00)', 'America/New_York')).toEqual([
      'at(2026-07-01T08:00:00) America/New_York',
    ]);
    expect(translated('at(2026-03-08T02:30:00)', 'America/New_York', { gap: 'runAfter' })).toEqual([
      'at(2026-03-08T07:00:00) UTC',
    ]);
    expect(translated('at(2026-11-01T01:30:00)', 'America/New_York', { fold: 'both' })).toEqual([
      'at(2026-11-01T05:30:00) UTC',
      'at(2026-11-01T06:30:00) UTC',
    ]);
  });

  test('cron() with years stays as it is', () => {
    expect(translated('cron(0 8 ? * MON 2027)', 'Europe/Berlin')).toEqual(['cron(0 8 ? * MON 2027) Europe/Berlin']);
  });
});

test('whatever the lists, an expression fits into 256 characters and is one that is read', () => {
  const values = (first: number, last: number) =>
    fc.uniqueArray(fc.integer({ min: first, max: last }), { minLength: 1 }).map((members) => members.join(','));
  fc.assert(
    fc.property(values(0, 59), values(0, 23), values(1, 31), values(1, 12), (minutes, hours, days, months) => {
      const expression = `${minutes} ${hours} ${days},1 ${months} *`;
      const schedules = translateSchedule(parseSchedule(expression, { timeZone: 'UTC' }));
      expect(schedules).toHaveLength(1);
      for (const { expression: text, timeZone } of schedules) {
        expect(text.length).toBeLessThanOrEqual(256);
        expect(parseAwsExpression(text, timeZone).expressions).toEqual([text]);
      }
    }),
  );
});
