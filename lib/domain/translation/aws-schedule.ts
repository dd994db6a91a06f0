/** One schedule of EventBridge Scheduler. */
export interface AwsSchedule {
  /** `cron()`, `rate()` or `at()`, at most 256 characters. */
  readonly expression: string;
  /** The zone that the expression is read in. */
  readonly timeZone: string;
  /**
   * StartDate, epoch milliseconds: a `rate()` counts from it and yields it first. The service refuses one in the past;
   * `firstStartFrom` moves it on without moving the occurrences.
   */
  readonly startAt?: number;
  /**
   * The schedule fires more often than it is due: only firings at a whole multiple of so many milliseconds since the Unix
   * epoch count. Whatever is fired must let the others go by; a job's function does.
   */
  readonly everyMs?: number;
}

/** Whether a firing counts: `everyMs` is that of the schedule that fired. */
export function isMeant(firedAt: number, everyMs: number | undefined): boolean {
  return everyMs === undefined || firedAt % everyMs === 0;
}
