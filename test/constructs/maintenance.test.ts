import { Template } from 'aws-cdk-lib/assertions';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { FleetAlarms } from '../../lib/constructs/fleet-alarms.ts';
import { Maintenance, type MaintenanceWindow } from '../../lib/constructs/maintenance.ts';
import { schedulerApp } from './scheduler-app.ts';

const SUNDAYS: MaintenanceWindow = { begins: '0 2 * * 0', timeZone: 'Europe/Berlin', lasts: Duration.hours(3) };

function muted(...windows: MaintenanceWindow[]): Template {
  const { app, scheduler } = schedulerApp();
  const watch = new Stack(app, 'Watch');
  const { alarms } = new FleetAlarms(watch, 'Alarms', { scheduler });
  new Maintenance(watch, 'Maintenance', { alarms, windows, prefix: 'belfry-test' });
  return Template.fromStack(watch);
}

describe('maintenance', () => {
  test('mutes every alarm of the environment, in the zone that was meant', () => {
    const template = muted(SUNDAYS);
    template.hasResourceProperties('AWS::CloudWatch::AlarmMuteRule', {
      Name: 'belfry-test-maintenance-0',
      Rule: { Schedule: { Expression: 'cron(0 2 * * 0)', Duration: 'PT3H', Timezone: 'Europe/Berlin' } },
    });
    const [rule] = Object.values(template.findResources('AWS::CloudWatch::AlarmMuteRule'));
    const alarms = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
    expect(rule?.Properties.MuteTargets.AlarmNames.map(({ Ref }: { Ref: string }) => Ref).sort()).toEqual(
      alarms.sort(),
    );
  });

  test('each window is a rule', () => {
    muted(SUNDAYS, { ...SUNDAYS, begins: '30 3 1 * *' }).resourceCountIs('AWS::CloudWatch::AlarmMuteRule', 2);
  });

  test.each([
    ['*/5 * * * *', SUNDAYS.lasts],
    ['0 2 * * SUN', SUNDAYS.lasts],
    ['0 2 * *', SUNDAYS.lasts],
    ['0 2 * * 0', Duration.days(16)],
  ])('what CloudWatch would refuse is refused here: %s', (begins, lasts) => {
    expect(() => muted({ ...SUNDAYS, begins, lasts })).toThrow(
      expect.objectContaining({ code: 'IllegalMaintenanceWindow' }),
    );
  });

  test('an unknown zone is refused', () => {
    expect(() => muted({ ...SUNDAYS, timeZone: 'Mars/Base' })).toThrow(
      expect.objectContaining({ code: 'UnknownTimeZone' }),
    );
  });
});
