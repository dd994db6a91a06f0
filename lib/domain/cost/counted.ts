/**
 * What Belfry itself uses. `npm run bench -- cost` counts it with the deployed runtime and the deployed sweep; a test holds
 * these figures against a new count.
 */

/** Of one run that succeeds, the handler's own work and lines left aside. */
export const PER_RUN = {
  /** The claim and the ending. */
  writeUnits: 2,
  /** The turn, of a job whose runs exclude each other. */
  turnWriteUnits: 1,
  /** The turn and its last holder are read where no earlier run has left them in the process's memory. */
  turnReadUnits: 2,
  /** The watchdog looks whether the run is there, and once an hour whether there are others. */
  watchdogReadUnits: 1.5,
  /** The lines of Belfry and of Lambda, each with the 26 bytes that CloudWatch adds. */
  logBytes: 1_320,
  /** The run's record. */
  storedBytes: 350,
  /** Billed time beside the handler's: five requests of 5 ms, and 40 ms to connect. */
  seconds: 0.065,
} as const;

/** Of an event that a function refuses, because its schedule fires more often than the job is due. Estimated, not counted. */
export const PER_REFUSAL = {
  seconds: 0.005,
  /** Lambda's own lines. */
  logBytes: 450,
} as const;

/** Of each attempt but the last one of a run that fails. It is made in the same invocation. */
export const PER_FURTHER_ATTEMPT = {
  writeUnits: 2,
  readUnits: 1,
  /** With the error's stack. */
  logBytes: 2_060,
  /** Waiting included: with the default delays seven and a half seconds on average. */
  seconds: 7.5,
} as const;

/** Of the watchdog, which sweeps every minute. */
export const PER_SWEEP = {
  memoryMiB: 512,
  seconds: 0.025,
  /** For each run that is due in the minute. */
  secondsPerRun: 0.0025,
  writeUnits: 1,
  /** Its state grows with the runs at work. */
  writeUnitsPerRun: 0.07,
  readUnits: 1,
  logBytes: 960,
} as const;

/** Metrics of the scheduler that get data in each hour. */
export const SCHEDULER_METRICS = 6;
/** Metrics of one job with `metrics: 'detailed'` that get data in each hour with a run. */
export const DETAILED_METRICS = 4;
