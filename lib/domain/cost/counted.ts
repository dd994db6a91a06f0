/**
 * What Belfry itself uses, as `npm run bench -- cost` counts it with the real runtime and the real sweep. A test compares
 * these figures with a new count.
 */

/** Of one attempt, the handler's own work and lines left aside. */
export const PER_ATTEMPT = {
  /** Writes: the claim and the ending. */
  writeUnits: 2,
  /** Further writes of a job whose runs exclude each other: the turn. */
  turnWriteUnits: 1,
  /** The turn is read where no earlier run has left it in the process's memory. */
  turnReadUnits: 2,
  /** The lines of Belfry and of Lambda, each with the 26 bytes that CloudWatch adds. */
  logBytes: 1_400,
  /** Billed time that Belfry adds to the handler's. */
  seconds: 0.03,
} as const;

/** Of an event that a function refuses, because its schedule fires more often than the job is due. Estimated, not counted. */
export const PER_REFUSAL = {
  seconds: 0.005,
  /** Lambda's own lines. */
  logBytes: 450,
} as const;

/** Of one run, whatever its attempts. */
export const PER_RUN = {
  /** The watchdog looks whether the run is there. */
  readUnits: 1,
  /** The run's record, kept for 90 days. */
  storedBytes: 400,
} as const;

/** Of the watchdog, which sweeps every minute. */
export const PER_SWEEP = {
  memoryMiB: 512,
  seconds: 0.1,
  /** For each run that is due in the minute. */
  secondsPerRun: 0.0005,
  writeUnits: 1,
  readUnits: 1,
  logBytes: 900,
} as const;

/** Metrics of the scheduler that get data in each hour with a run. */
export const SCHEDULER_METRICS = 5;
/** Metrics of one job with `metrics: 'detailed'` that get data in each hour with a run. */
export const DETAILED_METRICS = 4;
