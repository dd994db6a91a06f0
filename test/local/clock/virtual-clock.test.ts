import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';

const FROM = Date.parse('2026-10-31T23:00:00Z');
const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

it('is the real clock when nothing else is asked for', () => {
  const clock = new VirtualClock();
  vi.advanceTimersByTime(1_234);
  expect(clock.now()).toBe(Date.now());
  expect(clock.offset).toBe(0);
});

it('stands at its start until it is started, then moves from there', () => {
  const clock = new VirtualClock({ from: FROM });
  vi.advanceTimersByTime(5_000);
  expect(clock.now()).toBe(FROM);
  clock.start();
  vi.advanceTimersByTime(250);
  expect(clock.now()).toBe(FROM + 250);
});

it('moves at its speed while idle and stops at every event, in order, at the event own instant', () => {
  const clock = new VirtualClock({ from: FROM, speed: 600 });
  const seen: [string, number][] = [];
  clock.schedule(FROM + 2 * MINUTE, () => seen.push(['second', clock.now() - FROM]));
  clock.schedule(FROM + MINUTE, () => seen.push(['first', clock.now() - FROM]));
  clock.schedule(FROM + MINUTE, () => seen.push(['first too', clock.now() - FROM]));
  clock.start();
  vi.advanceTimersByTime(99);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(seen).toEqual([
    ['first', MINUTE],
    ['first too', MINUTE],
    ['second', 2 * MINUTE],
  ]);
});

it('does not pass an event that is due while the process was too busy to run it', () => {
  const clock = new VirtualClock({ from: FROM, speed: 3_600 });
  clock.schedule(FROM + MINUTE, () => {});
  clock.start();
  vi.setSystemTime(Date.now() + 10_000);
  expect(clock.now()).toBe(FROM + MINUTE);
});

it('moves at real pace while held, and makes the lag good from event to event afterwards', () => {
  const clock = new VirtualClock({ from: FROM, speed: 3_600 });
  const seen: number[] = [];
  let release = () => {};
  clock.schedule(FROM + MINUTE, () => {
    release = clock.hold();
  });
  for (let minute = 2; minute <= 5; minute++)
    clock.schedule(FROM + minute * MINUTE, () => seen.push(clock.now() - FROM));
  clock.start();
  vi.advanceTimersByTime(17);
  expect(clock.now()).toBe(FROM + MINUTE);
  vi.advanceTimersByTime(1_000);
  expect(clock.now()).toBe(FROM + MINUTE + 1_000);
  expect(seen).toEqual([]);
  release();
  release();
  vi.advanceTimersByTime(10);
  expect(seen).toEqual([2 * MINUTE, 3 * MINUTE, 4 * MINUTE, 5 * MINUTE]);
});

it('still does what is due while it is held', () => {
  const clock = new VirtualClock({ from: FROM, speed: 3_600 });
  const seen: number[] = [];
  clock.start();
  clock.hold();
  clock.schedule(FROM + 30_000, () => seen.push(clock.now() - FROM));
  vi.advanceTimersByTime(29_999);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual([30_000]);
});

it('never goes back, also when something overdue is asked for', () => {
  const clock = new VirtualClock({ from: FROM, speed: 3_600 });
  clock.start();
  vi.advanceTimersByTime(1_000);
  const before = clock.now();
  const seen: number[] = [];
  clock.schedule(FROM, () => seen.push(clock.now()));
  expect(clock.now()).toBeGreaterThanOrEqual(before);
  vi.advanceTimersByTime(1);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toBeGreaterThanOrEqual(before);
});

it('forgets a cancelled event', () => {
  const clock = new VirtualClock({ from: FROM, speed: 60 });
  const seen: string[] = [];
  const cancel = clock.schedule(FROM + MINUTE, () => seen.push('cancelled'));
  clock.schedule(FROM + 2 * MINUTE, () => seen.push('kept'));
  cancel();
  clock.start();
  vi.advanceTimersByTime(3_000);
  expect(seen).toEqual(['kept']);
});

it('stands still while paused, steps to the next event, and goes on from there', () => {
  const clock = new VirtualClock({ from: FROM, speed: 60 });
  const seen: number[] = [];
  for (let minute = 1; minute <= 3; minute++) clock.schedule(FROM + minute * MINUTE, () => seen.push(minute));
  clock.start();
  clock.pause();
  vi.advanceTimersByTime(60_000);
  expect(seen).toEqual([]);
  expect(clock.step()).toBe(FROM + MINUTE);
  expect(seen).toEqual([1]);
  expect(clock.now()).toBe(FROM + MINUTE);
  clock.resume();
  vi.advanceTimersByTime(999);
  expect(seen).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual([1, 2]);
});

it('goes on at its speed while every hold rests, to the first wake-up, and is bound again there', () => {
  const clock = new VirtualClock({ from: FROM, speed: 3_600 });
  clock.start();
  const seen: [string, number][] = [];
  const [first, second] = [clock.restingHold(), clock.restingHold()];
  first.rest(FROM + 30 * MINUTE, () => seen.push(['first', clock.now() - FROM]));
  vi.advanceTimersByTime(1_000);
  expect([clock.now(), seen]).toEqual([FROM + 1_000, []]);
  second.rest(FROM + 10 * MINUTE, () => seen.push(['second', clock.now() - FROM]));
  vi.advanceTimersByTime(1_000);
  expect(seen).toEqual([['second', 10 * MINUTE]]);
  expect(clock.now()).toBeLessThan(FROM + 11 * MINUTE);
  second.release();
  vi.advanceTimersByTime(1_000);
  expect(seen).toEqual([
    ['second', 10 * MINUTE],
    ['first', 30 * MINUTE],
  ]);
});

it('does what is due on the way while holds rest', () => {
  const clock = new VirtualClock({ from: FROM, speed: 3_600 });
  clock.start();
  const seen: [string, number][] = [];
  clock.schedule(FROM + 5 * MINUTE, () => {
    seen.push(['event', clock.now() - FROM]);
  });
  const hold = clock.restingHold();
  hold.rest(FROM + 10 * MINUTE, () => seen.push(['woken', clock.now() - FROM]));
  vi.advanceTimersByTime(1_000);
  expect(seen).toEqual([
    ['event', 5 * MINUTE],
    ['woken', 10 * MINUTE],
  ]);
});

it('keeps real pace while holds rest if it is paused, or not faster than real', () => {
  for (const speed of [0.5, 1, 60]) {
    const clock = new VirtualClock({ from: FROM, speed });
    clock.start();
    if (speed > 1) clock.pause();
    clock.restingHold().rest(FROM + 30 * MINUTE, () => {});
    vi.advanceTimersByTime(10_000);
    expect(clock.now()).toBe(FROM + 10_000);
  }
});

it('forgets the wake-up of a hold that was released or woken meanwhile', () => {
  const clock = new VirtualClock({ from: FROM, speed: 3_600 });
  clock.start();
  const seen: string[] = [];
  const [released, woken] = [clock.restingHold(), clock.restingHold()];
  released.rest(FROM + 5 * MINUTE, () => seen.push('released'));
  woken.rest(FROM + 6 * MINUTE, () => seen.push('woken'));
  released.release();
  woken.wake();
  expect(clock.nextEventAt).toBeUndefined();
  vi.advanceTimersByTime(60_000);
  expect([clock.now(), seen]).toEqual([FROM + MINUTE, []]);
  woken.release();
});
