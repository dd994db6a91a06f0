import type { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';

/** Moves a paused clock to an instant: everything due up to and at it happens, in order. */
export function stepTo(clock: VirtualClock, at: number): void {
  clock.schedule(at, () => {});
  while (clock.now() < at) clock.step();
}
