import type { Timetable } from './timetable.ts';

/** A few instants, or none: `at()`, and `@reboot` once the deployment's instant is known. */
export class InstantTimetable implements Timetable {
  readonly instants: readonly number[];

  constructor(instants: readonly number[]) {
    this.instants = [...instants].sort((one, other) => one - other);
  }

  next(after: number): number | undefined {
    return this.instants.find((instant) => instant > after);
  }

  previous(before: number): number | undefined {
    return this.instants.findLast((instant) => instant < before);
  }
}
