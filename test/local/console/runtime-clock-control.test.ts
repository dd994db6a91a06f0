import { afterEach, expect, test } from 'vitest';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { RuntimeClockControl } from '../../../lib/local/console/runtime-clock-control.ts';
import { eventually } from '../../support/eventually.ts';

const FROM = Date.parse('2026-10-31T23:00:00Z');
const HOUR = 3_600_000;

let clock: VirtualClock;

afterEach(() => clock.stop());

/** While something happens the clock keeps real pace, so it is milliseconds past the hour. */
function wholeHour(): number {
  return Math.floor(clock.now() / HOUR) * HOUR;
}

/** A clock that stands, with something due every hour that is written down. */
function hourly(options: { readonly speed?: number } = {}): { control: RuntimeClockControl; happened: number[] } {
  clock = new VirtualClock({ from: FROM, ...options });
  const happened: number[] = [];
  let next = FROM + HOUR;
  const arm = () =>
    clock.schedule(next, () => {
      happened.push(next);
      next += HOUR;
      arm();
    });
  arm();
  clock.start();
  clock.pause();
  return {
    control: new RuntimeClockControl(
      clock,
      () => next,
      () => {},
    ),
    happened,
  };
}

test('a step goes to the next occurrence, lets it happen, and stands there', async () => {
  const { control, happened } = hourly();
  expect(control.step()).toBe(FROM + HOUR);
  await eventually(() => expect(clock.paused).toBe(true));
  expect({ now: wholeHour(), happened }).toEqual({ now: FROM + HOUR, happened: [FROM + HOUR] });
  control.step();
  await eventually(() => expect(happened).toHaveLength(2));
  await eventually(() => expect(clock.paused).toBe(true));
  expect(wholeHour()).toBe(FROM + 2 * HOUR);
});

test('a jump passes over nothing: all that is due on the way happens at its instant', async () => {
  const { control, happened } = hourly({ speed: 2 });
  control.jump(FROM + 100 * HOUR + 1);
  expect(control.jumpsTo).toBe(FROM + 100 * HOUR + 1);
  await eventually(() => expect(control.jumpsTo).toBeUndefined());
  expect(happened).toEqual(Array.from({ length: 100 }, (_, index) => FROM + (index + 1) * HOUR));
  expect({ speed: clock.speed, paused: clock.paused }).toEqual({ speed: 2, paused: true });
});

test('a clock that ran runs on as before after a jump', async () => {
  const { control } = hourly({ speed: 3 });
  control.resume();
  control.jump(FROM + 10 * HOUR);
  expect(control.speed).toBe(3);
  await eventually(() => expect(control.jumpsTo).toBeUndefined());
  expect({ speed: clock.speed, paused: clock.paused }).toEqual({ speed: 3, paused: false });
});

test('pausing breaks a jump off, and the speed is what it was', () => {
  const { control } = hourly({ speed: 3 });
  control.jump(FROM + 1_000_000 * HOUR);
  control.pause();
  expect(control.jumpsTo).toBeUndefined();
  expect({ speed: clock.speed, paused: clock.paused }).toEqual({ speed: 3, paused: true });
});

test('a new speed holds from now on and nothing that is past comes again', () => {
  const { control, happened } = hourly();
  control.setSpeed(600);
  expect(clock.speed).toBe(600);
  expect(wholeHour()).toBe(FROM);
  expect(happened).toEqual([]);
});
