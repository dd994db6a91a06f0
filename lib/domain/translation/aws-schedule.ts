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
}
