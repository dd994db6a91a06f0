import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { explanationText } from '../../lib/cli/print/explain-terminal.ts';
import { explainSchedule } from '../../lib/domain/translation/explain-schedule.ts';

function shown(expression: string, timeZone: string, from: number): string {
  const explanation = explainSchedule({ expression, timeZone, from, count: 3 });
  return explanationText(explanation, { from, tzdata: '2026e', stream: new PassThrough() });
}

test('what a person sees, without colours where there are none', () => {
  expect(shown('30 1 13 * 5', 'America/New_York', Date.UTC(2026, 9, 20))).toBe(
    `
schedule    30 1 13 * 5
means       At 01:30, on day 13 of the month; and at 01:30, only on Friday
time zone   America/New_York (tz database 2026e)
EventBridge cron(30 1 13 * ? *)  America/New_York
            cron(30 1 ? * 6 *)  America/New_York
next        Fri 2026-10-23 01:30 -04:00 2026-10-23T05:30:00.000Z
            Fri 2026-10-30 01:30 -04:00 2026-10-30T05:30:00.000Z
            Fri 2026-11-06 01:30 -05:00 2026-11-06T06:30:00.000Z

                      Mo  Tu  We  Th  Fr  Sa  Su 
            Oct 2026  19  20  21  22 [23] 24  25 
            Oct 2026  26  27  28  29 [30] 31   1 
            Nov 2026   2   3   4   5 [ 6]  7   8 
            Nov 2026   9  10  11  12 [13] 14  15 
            Nov 2026  16  17  18  19 [20] 21  22 

note        day-of-month '13' and day-of-week '5' are both given, so a day that is either is meant, not one that is both; a day that is both still has one run [EitherDay]
            EventBridge Scheduler needs 2 schedules for this; where two of them fire at one instant there is still one run [SeveralSchedules]
`.slice(1),
  );
});

test('changes of the clock that matter are told', () => {
  const text = shown('0 2 * * *', 'Europe/Berlin', Date.UTC(2026, 9, 20));
  expect(text).toContain('clock       2026-10-25 fold 02:00: runs once, at the first pass\n');
  expect(text).toContain('            2027-03-28 gap  02:00: no run: the time does not exist\n');
});

test('an interval marks every day, a schedule without times none', () => {
  expect(shown('*/5 * * * *', 'Pacific/Apia', Date.UTC(2026, 9, 20)).match(/\[[ \d]{2}\]/g)).toHaveLength(34);
  expect(shown('@reboot', 'UTC', 0)).toContain('next        never\n');
});
