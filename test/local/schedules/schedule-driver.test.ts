import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { firingPayload } from '../../../lib/local/schedules/context-attributes.ts';
import {
  type Firing,
  ScheduleDriver,
  type ScheduleDriverOptions,
} from '../../../lib/local/schedules/schedule-driver.ts';
import { scheduleResource } from '../../../lib/local/schedules/schedule-resource.ts';

const FROM = Date.parse('2026-10-31T23:00:00Z');
const TARGET = { Arn: 'arn:aws:lambda:us-east-1:000000000000:function:job' };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

function schedule(name: string, ScheduleExpression: string, properties: object = {}) {
  return scheduleResource(name, 'g', { ScheduleExpression, Target: TARGET, ...properties });
}

function drive(schedules: ReturnType<typeof schedule>[], options: Partial<ScheduleDriverOptions> = {}) {
  const clock = new VirtualClock({ from: FROM, speed: 3_600 });
  const fired: string[] = [];
  const driver = new ScheduleDriver({
    clock,
    fire: (firing: Firing) =>
      fired.push(`${firing.schedule.name} ${new Date(firing.scheduledTime).toISOString().slice(5, 16)}`),
    ...options,
  });
  for (const entry of schedules) driver.set(entry);
  driver.start(clock.now());
  clock.start();
  /** Runs virtual hours; one takes a second. */
  const hours = (count: number) => {
    for (let step = 0; step < count * 100; step++) vi.advanceTimersByTime(10);
  };
  return { clock, driver, fired, hours };
}

it('fires every schedule at its instant, from the start on, those of one instant together', () => {
  const { fired, hours } = drive([schedule('half', 'cron(0/30 * * * ? *)'), schedule('hour', 'cron(0 * * * ? *)')]);
  hours(1);
  expect(fired).toEqual([
    'half 10-31T23:00',
    'hour 10-31T23:00',
    'half 10-31T23:30',
    'half 11-01T00:00',
    'hour 11-01T00:00',
  ]);
});

it('fires in the zone of the schedule, over the change to winter time', () => {
  const { fired, hours } = drive([
    schedule('dunning', 'cron(0 8 * * ? *)', { ScheduleExpressionTimezone: 'America/New_York' }),
    schedule('night', 'cron(30 1 * * ? *)', { ScheduleExpressionTimezone: 'America/New_York' }),
  ]);
  hours(40);
  expect(fired).toEqual(['night 11-01T05:30', 'dunning 11-01T13:00', 'night 11-02T06:30', 'dunning 11-02T13:00']);
});

it('fires neither while disabled, nor before the start, nor after the end', () => {
  const hourly = 'cron(0 * * * ? *)';
  const { fired, hours } = drive([
    schedule('off', hourly, { State: 'DISABLED' }),
    schedule('between', hourly, {
      StartDate: '2026-11-01T01:00:00Z',
      EndDate: Date.parse('2026-11-01T02:00:00Z') / 1000,
    }),
  ]);
  hours(6);
  expect(fired).toEqual(['between 11-01T01:00', 'between 11-01T02:00']);
});

it('does not make up for what is past', () => {
  const { fired, hours } = drive([schedule('once', 'at(2026-10-31T22:00:00)'), schedule('hour', 'cron(15 * * * ? *)')]);
  hours(1);
  expect(fired).toEqual(['hour 10-31T23:15']);
});

it('fires a one-time schedule made at run time once, late if need be, and removes it', () => {
  const completed: string[] = [];
  const { driver, fired, hours } = drive([], { onCompleted: ({ name }) => completed.push(name) });
  hours(1);
  driver.set(schedule('retry', 'at(2026-11-01T00:20:10)', { ActionAfterCompletion: 'DELETE' }));
  driver.set(schedule('late', 'at(2026-10-31T23:59:00)', { ActionAfterCompletion: 'DELETE' }));
  driver.set(schedule('kept', 'at(2026-11-01T00:30:00)'));
  hours(1);
  expect(fired).toEqual(['late 10-31T23:59', 'retry 11-01T00:20', 'kept 11-01T00:30']);
  expect(completed).toEqual(['late', 'retry']);
  expect(driver.list().map(({ name }) => name)).toEqual(['kept']);
});

it('takes a changed schedule over, and forgets a deleted one', () => {
  const { driver, fired, hours } = drive([schedule('a', 'cron(0 * * * ? *)'), schedule('b', 'cron(0 * * * ? *)')]);
  driver.set(schedule('a', 'cron(30 * * * ? *)'));
  expect(driver.delete('g', 'b')).toBe(true);
  expect(driver.delete('g', 'b')).toBe(false);
  hours(2);
  expect(fired.slice(-2)).toEqual(['a 10-31T23:30', 'a 11-01T00:30']);
  expect(fired.some((line) => line.startsWith('b 11-'))).toBe(false);
});

it('loses exactly the firings that are suppressed', () => {
  const lost = Date.parse('2026-11-01T00:00:00Z');
  const { fired, hours } = drive([schedule('hour', 'cron(0 * * * ? *)')], { suppress: (_schedule, at) => at === lost });
  hours(2);
  expect(fired).toEqual(['hour 10-31T23:00', 'hour 11-01T01:00']);
});

it('puts the context attributes into the input as text and leaves the rest alone', () => {
  const entry = schedule('job', 'cron(0 * * * ? *)', {
    Target: {
      ...TARGET,
      Input:
        '{"at":"<aws.scheduler.scheduled-time>","arn":"<aws.scheduler.schedule-arn>","n":<aws.scheduler.attempt-number>,"id":"<aws.scheduler.execution-id>","x":"<aws.scheduler.colour> <other>"}',
    },
  });
  const payload = JSON.parse(firingPayload(entry, FROM + 500)) as Record<string, unknown>;
  expect(payload).toEqual({
    at: '2026-10-31T23:00:00Z',
    arn: 'arn:aws:scheduler:us-east-1:000000000000:schedule/g/job',
    n: 1,
    id: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
    x: '<aws.scheduler.colour> <other>',
  });
});

it('sends the default envelope of a schedule without input', () => {
  expect(JSON.parse(firingPayload(schedule('bare', 'cron(0 * * * ? *)'), FROM))).toMatchObject({
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    time: '2026-10-31T23:00:00Z',
    detail: '{}',
  });
});
