import {
  DeleteScheduleCommand,
  GetScheduleCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { expect, test } from 'vitest';
import { prepareRuntime } from '../support/prepare-runtime.ts';
import { createSampleApp } from '../support/sample-app.ts';

const MINUTE = 60_000;
const FROM = Date.parse('2026-06-01T12:10:00Z');

const HEARTBEAT = { GroupName: 'belfry-dev-jobs', Name: 'belfry-dev-jobs_heartbeat' };

test('what somebody does to a schedule is named as the cause of what it does not fire', async () => {
  using app = createSampleApp();
  const { clock, events, runtime } = await prepareRuntime(app.path, { from: FROM, speed: 500 });
  const changes: Promise<unknown>[] = [];
  const at = (minutes: number, change: () => Promise<unknown>) =>
    clock.schedule(FROM + minutes * MINUTE + 20_000, () => {
      // Minutes of this clock would go by while the requests are under way.
      const release = clock.hold();
      changes.push(change().finally(release));
    });
  let scheduler: SchedulerClient | undefined;
  const update = async (change: object) => {
    const current = await scheduler?.send(new GetScheduleCommand(HEARTBEAT));
    const { Name, GroupName, ScheduleExpression, ScheduleExpressionTimezone, FlexibleTimeWindow, Target, State } =
      current ?? {};
    const kept = { Name, GroupName, ScheduleExpression, ScheduleExpressionTimezone, FlexibleTimeWindow, Target, State };
    await scheduler?.send(
      new UpdateScheduleCommand({ ...kept, ...change } as ConstructorParameters<typeof UpdateScheduleCommand>[0]),
    );
  };
  at(4, () => update({ State: 'DISABLED' }));
  at(9, () => update({ State: 'ENABLED', ScheduleExpression: 'cron(0 0 1 1 ? *)' }));
  at(14, async () => scheduler?.send(new DeleteScheduleCommand(HEARTBEAT)));
  const stopped = new Promise<void>((resolve) => clock.schedule(FROM + 19 * MINUTE, resolve));
  runtime.run();
  const ready = events.find((event) => event.type === 'ready');
  scheduler = new SchedulerClient({
    endpoint: ready?.endpoint ?? '',
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await stopped;
  await Promise.all(changes);
  await runtime.stop(10_000);
  scheduler.destroy();

  const missed = events.filter((event) => event.type === 'missed');
  const causes = (from: number, to: number) => [
    ...new Set(
      missed
        .filter(({ at: told }) => Date.parse(told) >= FROM + from * MINUTE && Date.parse(told) < FROM + to * MINUTE)
        .map(({ cause }) => cause),
    ),
  ];
  expect(causes(0, 6)).toEqual([]);
  expect(causes(7, 9)).toEqual(['scheduleDisabled']);
  expect(causes(11, 14)).toEqual(['scheduleChanged']);
  expect(causes(16, 19)).toEqual(['scheduleDeleted']);
});
