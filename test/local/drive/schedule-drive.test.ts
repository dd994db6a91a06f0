import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import type { DriveEvent } from '../../../lib/local/drive/drive-event.ts';
import { endpointSettings } from '../../../lib/local/drive/endpoint.ts';
import { ScheduleDrive } from '../../../lib/local/drive/schedule-drive.ts';
import { eventually } from '../../support/eventually.ts';
import { Emulator } from './emulator.ts';

let emulator: Emulator;
let clock: VirtualClock;
let events: DriveEvent[];
let drive: ScheduleDrive;

beforeEach(async () => {
  emulator = await Emulator.start();
  events = [];
});

afterEach(async () => {
  await drive.stop();
  clock.stop();
  emulator.close();
});

/** A drive on a clock that stands at `from` and leaps from event to event once it runs. */
function driveFrom(from: string): ScheduleDrive {
  clock = new VirtualClock({ from: Date.parse(from), speed: 1_000_000 });
  const settings = { ...endpointSettings(emulator.url, {}), maxAttempts: 1 };
  drive = new ScheduleDrive({
    endpoint: emulator.url,
    scheduler: new SchedulerClient(settings),
    lambda: new LambdaClient(settings),
    clock,
    emit: (event) => events.push(event),
  });
  return drive;
}

const INPUT = '{"job":"dunning","scheduledTime":"<aws.scheduler.scheduled-time>","revision":"r"}';

/** What fired, earliest first: it is told of when the endpoint has answered, and answers overtake each other. */
function fired(): { schedule: string; scheduledTime: string }[] {
  return events
    .filter((event) => event.type === 'fired')
    .sort((one, other) => one.scheduledTime.localeCompare(other.scheduledTime));
}

function firedTimes(): string[] {
  return fired().map(({ scheduledTime }) => scheduledTime);
}

test('a schedule fires in its own zone, across a clock change, with its scheduled time put in', async () => {
  emulator.put('dunning', {
    ScheduleExpression: 'cron(0 8 * * ? *)',
    ScheduleExpressionTimezone: 'America/New_York',
    Input: INPUT,
  });
  await driveFrom('2026-10-31T00:00:00Z').start();
  clock.start();
  const due = ['2026-10-31T12:00:00Z', '2026-11-01T13:00:00Z', '2026-11-02T13:00:00Z'];
  await eventually(() => expect(firedTimes()).toEqual(expect.arrayContaining(due)));
  expect(firedTimes().slice(0, 3)).toEqual(due);
  expect(emulator.invocations).toContainEqual({
    function: 'arn:aws:lambda:us-east-1:000000000000:function:dunning',
    type: 'Event',
    payload: { job: 'dunning', scheduledTime: '2026-10-31T12:00:00Z', revision: 'r' },
  });
});

test('what is made, changed or removed at the endpoint is taken up at the next look', async () => {
  emulator.put('removed', { ScheduleExpression: 'cron(0 0 * * ? *)' });
  emulator.put('changed', { ScheduleExpression: 'cron(0 0 * * ? *)' });
  await driveFrom('2026-06-01T12:00:00Z').start();
  emulator.remove('removed');
  emulator.put('changed', { ScheduleExpression: 'cron(30 18 * * ? *)' });
  emulator.put('made', { ScheduleExpression: 'cron(0 20 * * ? *)' });
  await drive.refresh();
  clock.start();
  const due = [
    'jobs/changed 2026-06-01T18:30:00Z',
    'jobs/made 2026-06-01T20:00:00Z',
    'jobs/changed 2026-06-02T18:30:00Z',
  ];
  const told = () => fired().map(({ schedule, scheduledTime }) => `${schedule} ${scheduledTime}`);
  await eventually(() => expect(told()).toEqual(expect.arrayContaining(due)));
  expect(told().slice(0, 3)).toEqual(due);
});

test('a one-time schedule that removes itself is removed from the endpoint after it fired, and fires once', async () => {
  emulator.put('retry', {
    ScheduleExpression: 'at(2026-06-01T17:30:00)',
    ScheduleExpressionTimezone: 'Asia/Kolkata',
    ActionAfterCompletion: 'DELETE',
  });
  await driveFrom('2026-06-01T00:00:00Z').start();
  clock.start();
  await eventually(() => expect(emulator.names).toEqual([]));
  await drive.refresh();
  expect(firedTimes()).toEqual(['2026-06-01T12:00:00Z']);
});

test('a schedule that cannot be driven is told of, and the others are driven', async () => {
  emulator.put('queue', { ScheduleExpression: 'rate(1 hour)' }, 'arn:aws:sqs:us-east-1:000000000000:q');
  emulator.put('good', { ScheduleExpression: 'cron(0 0 * * ? *)' });
  await driveFrom('2026-06-01T12:00:00Z').start();
  expect(events).toContainEqual({
    type: 'note',
    level: 'warn',
    text: expect.stringContaining('jobs/queue is not driven'),
  });
  const watching = events.find((event) => event.type === 'watching');
  expect(watching).toMatchObject({
    schedules: [{ schedule: 'jobs/good', timeZone: 'UTC', next: '2026-06-02T00:00:00Z' }],
  });
});

test('an invoke that the endpoint refuses is told of with its reason', async () => {
  emulator.put('dunning', { ScheduleExpression: 'at(2026-06-01T17:30:00)' });
  emulator.refuse = true;
  await driveFrom('2026-06-01T12:00:00Z').start();
  clock.start();
  await eventually(() =>
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'refused',
        schedule: 'jobs/dunning',
        scheduledTime: '2026-06-01T17:30:00Z',
        reason: 'Function not found',
      }),
    ),
  );
});

test('an endpoint that goes away is told of once, and again when it is back', async () => {
  await driveFrom('2026-06-01T12:00:00Z').start();
  emulator.close();
  await drive.refresh();
  await drive.refresh();
  expect(events.filter((event) => event.type === 'note')).toEqual([
    { type: 'note', level: 'warn', text: expect.stringContaining('those known go on') },
  ]);
});

test('schedules of two apps that are named alike are told apart by their groups', async () => {
  const nightly = { ScheduleExpression: 'cron(0 8 * * ? *)', ScheduleExpressionTimezone: 'UTC', Input: INPUT };
  const arn = (name: string) => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
  for (const group of ['billing', 'shop']) emulator.put('nightly', nightly, arn(`${group}_nightly`), group);
  await driveFrom('2026-10-31T07:59:00Z').start();
  clock.start();
  const invoked = () =>
    new Set(events.flatMap((event) => (event.type === 'fired' ? [`${event.schedule} ${event.function}`] : [])));
  await eventually(() =>
    expect(invoked()).toEqual(new Set(['billing/nightly billing_nightly', 'shop/nightly shop_nightly'])),
  );
});
