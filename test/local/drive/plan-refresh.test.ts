import { expect, test } from 'vitest';
import { planRefresh } from '../../../lib/local/drive/plan-refresh.ts';
import { planRestore } from '../../../lib/local/drive/plan-restore.ts';
import { scheduleResource } from '../../../lib/local/schedules/schedule-resource.ts';

function schedule(name: string, expression = 'cron(0 8 * * ? *)', timeZone?: string) {
  return scheduleResource(name, 'jobs', {
    ScheduleExpression: expression,
    ...(timeZone === undefined ? {} : { ScheduleExpressionTimezone: timeZone }),
    Target: {
      Arn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
      RoleArn: 'arn:aws:iam::000000000000:role/r',
    },
  });
}

test('a schedule that is as it was is left alone, so that what it has fired is not fired again', () => {
  expect(planRefresh([schedule('report')], [schedule('report')])).toEqual({ changed: [], removed: [] });
});

test('new, changed and removed schedules are told apart', () => {
  const refresh = planRefresh(
    [schedule('same'), schedule('moved'), schedule('gone')],
    [schedule('same'), schedule('moved', 'rate(5 minutes)'), schedule('new')],
  );
  expect(refresh.changed.map(({ name }) => name)).toEqual(['moved', 'new']);
  expect(refresh.removed.map(({ name }) => name)).toEqual(['gone']);
});

test('what an emulator dropped from a schedule is put back, and what it kept is not touched', () => {
  const declared = [
    schedule('kept'),
    schedule('dunning', 'cron(0 8 ? * 2-6 *)', 'America/New_York'),
    schedule('absent'),
  ];
  const held = [schedule('kept'), schedule('dunning', 'cron(0 8 ? * 2-6 *)'), schedule('made-at-run-time')];
  expect(planRestore(declared, held)).toEqual([
    {
      group: 'jobs',
      name: 'dunning',
      expression: 'cron(0 8 ? * 2-6 *)',
      timeZone: 'America/New_York',
      enabled: true,
      lost: ['timeZone UTC instead of America/New_York'],
    },
  ]);
});
