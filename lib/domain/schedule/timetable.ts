/** One rule of a schedule, bound to its zone and policies: it yields instants, strictly increasing. */
export interface Timetable {
  /** The first occurrence after `after` (exclusive), or undefined. */
  next(after: number): number | undefined;
  /** The last occurrence before `before` (exclusive), or undefined. */
  previous(before: number): number | undefined;
}
