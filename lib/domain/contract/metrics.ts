/** Where CloudWatch keeps all metrics of Belfry. */
export const METRIC_NAMESPACE = 'Belfry';

/** Names of the dimensions: which scheduler, and which of its jobs. */
export const SCHEDULER_DIMENSION = 'Environment';
export const JOB_DIMENSION = 'Job';

/** What the runtime and the watchdog count, by the minute. */
export type JobMetric =
  | 'Succeeded'
  /** Runs that failed in their last attempt. */
  | 'Failed'
  /** Attempts that failed with another one to follow. */
  | 'Retried'
  | 'TimedOut'
  | 'Missed'
  /** Runs that began after startGrace. */
  | 'LateStart'
  /** Occurrences without a success by scheduledTime + expectedDuration + 5 minutes. */
  | 'Overdue'
  /** Runs that succeeded in less than minimumDuration. */
  | 'TooFast'
  /** Runs that take more than twice their usual time. */
  | 'Slow'
  /** Runs that said the same of their progress for five minutes. */
  | 'Stuck'
  /** Runs at instants at which the job was not due. */
  | 'TooOften'
  /** Late writes of an attempt that had lost its run. */
  | 'Fenced'
  /** Milliseconds that attempts took. */
  | 'Duration'
  /** Milliseconds from the scheduled time to the start. */
  | 'Lateness';

/** What the watchdog says of itself. */
export type WatchdogMetric = 'WatchdogHeartbeat' | 'SweepFailures' | 'SweepDuration';
