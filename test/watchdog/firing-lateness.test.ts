import { expect, test } from 'vitest';
import { firingLateness } from '../../lambdas/watchdog/firing-lateness.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const event = { scheduledTime: '2026-06-01T12:00:00Z' };
const placeOf = (lastAt: number) => ({
  state: { sweptAt: lastAt, lastAt, epochs: [], open: [], effectiveFrom: {}, pauses: {}, incidents: [], version: 1 },
  requested: [],
});

test('is from the minute that the event is for to the sweep', () => {
  expect(firingLateness(event, placeOf(NOON - 2 * MINUTE), NOON + 3 * MINUTE)).toBe(3 * MINUTE);
  expect(firingLateness(event, { state: undefined, requested: [] }, NOON + 1_000)).toBe(1_000);
});

test('is not known of an event that comes again, nor of one that does not say its time', () => {
  expect(firingLateness(event, placeOf(NOON + 2 * MINUTE), NOON + 3 * MINUTE)).toBeUndefined();
  expect(firingLateness(event, placeOf(NOON + 500), NOON + MINUTE)).toBeUndefined();
  for (const other of [undefined, {}, { scheduledTime: '<aws.scheduler.scheduled-time>' }]) {
    expect(firingLateness(other, placeOf(NOON - MINUTE), NOON)).toBeUndefined();
  }
});
