import type { DstPolicy } from '../job.ts';

/**
 * A rule that yields instants. All instants are epoch milliseconds. Occurrences are strictly increasing, at most one per
 * instant.
 */
export interface Schedule {
  /** Canonical text of each expression whose union is meant. */
  readonly expressions: readonly string[];
  readonly timeZone: string;
  /** The first occurrence after `after` (exclusive), or undefined when there is none. */
  next(after: number): number | undefined;
  /** The last occurrence before `before` (exclusive), or undefined when there is none. */
  previous(before: number): number | undefined;
  /** The occurrences after `from` (exclusive) up to `to` (inclusive), lazily. */
  between(from: number, to: number): Iterable<number>;
}

export interface ScheduleOptions {
  /** IANA zone name. */
  readonly timeZone: string;
  readonly dst?: DstPolicy;
  /** Where `@every` and `rate()` start counting: the first occurrence is one interval later. Default: the Unix epoch. */
  readonly anchor?: number;
}
