import { expect, test } from 'vitest';
import type { ScheduleResource } from '../../lib/local/assembly/resources.ts';
import type { LocalEvent } from '../../lib/local/local-event.ts';
import { prepareRuntime } from '../support/prepare-runtime.ts';
import { createSampleApp } from '../support/sample-app.ts';

const MINUTE = 60_000;
const FROM = Date.parse('2026-06-01T12:10:00Z');

/** Runs the sample app for some virtual minutes, with some firings lost on the way. */
async function run(minutes: number, suppress: (schedule: ScheduleResource, scheduledTime: number) => boolean) {
  using app = createSampleApp();
  const { clock, events, runtime } = await prepareRuntime(app.path, { from: FROM, speed: 1_000, suppress });
  await new Promise<void>((resolve) => {
    clock.schedule(FROM + minutes * MINUTE - 1, resolve);
    runtime.run();
  });
  await runtime.stop(10_000);
  return events;
}

const alarmsOf = (events: readonly LocalEvent[]) =>
  events.filter((event) => event.type === 'alarm').filter(({ state }) => state === 'ALARM');

/** What people were told. */
const subjectOf = (event: LocalEvent) =>
  event.type === 'note' ? /^published to .*Warn.*?: (.*)$/.exec(event.text)?.[1] : undefined;

test('an occurrence that was never fired is missed, and people are told before that within startGrace, two minutes and fifteen seconds', async () => {
  const lost = FROM + 5 * MINUTE;
  const events = await run(
    12,
    ({ name }, scheduledTime) => name === 'belfry-dev-jobs_heartbeat' && scheduledTime === lost,
  );

  expect(events.map(subjectOf).filter((subject) => subject !== undefined)).toEqual([
    '[dev] heartbeat missed an occurrence',
  ]);
  const told = events.findIndex((event) => subjectOf(event) !== undefined);
  const missed = events.flatMap((event, index) => (event.type === 'missed' ? [{ ...event, index }] : []));
  expect(missed.map(({ job, scheduledTime }) => [job, Date.parse(scheduledTime)])).toEqual([['heartbeat', lost]]);
  expect(told).toBeLessThan(missed[0]?.index ?? 0);
  const startGrace = MINUTE;
  expect(Date.parse(missed[0]?.at ?? '')).toBeLessThanOrEqual(lost + startGrace + 2.25 * MINUTE);
  // The alarms are the second line: what was told needs none.
  expect(alarmsOf(events)).toEqual([]);
});

test('a watchdog that is not fired any more pages', async () => {
  const silentFrom = FROM + 6 * MINUTE;
  const events = await run(
    15,
    ({ name }, scheduledTime) => name === 'belfry-dev-jobs.watchdog' && scheduledTime >= silentFrom,
  );
  expect(alarmsOf(events).map(({ name, severity }) => [name, severity])).toEqual([
    ['belfry-dev-jobs-WatchdogSilent', 'page'],
  ]);
});
