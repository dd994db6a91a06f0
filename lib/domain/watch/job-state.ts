/** What is kept of a job beside its runs, as far as the watchdog is concerned. */
export interface JobState {
  /** Present while a person holds the job back. */
  readonly pause?: {
    /** Epoch milliseconds; without an end it lasts until somebody resumes the job. */
    readonly until?: number;
    readonly by?: string;
    readonly note?: string;
    /** When it began. */
    readonly at?: number;
  };
  readonly timing?: JobTiming;
}

/** How long the job's runs take, learned from those that succeeded at their first attempt. */
export interface JobTiming {
  /** Moving average, milliseconds. */
  readonly averageMs: number;
  readonly samples: number;
}

/** How much a new run weighs in the average: the last ten or so count. */
const WEIGHT = 0.2;

export function learnTiming(timing: JobTiming | undefined, durationMs: number): JobTiming {
  if (timing === undefined) return { averageMs: durationMs, samples: 1 };
  // The first few count alike, so that the very first one does not linger.
  const weight = Math.max(WEIGHT, 1 / (timing.samples + 1));
  return { averageMs: timing.averageMs + weight * (durationMs - timing.averageMs), samples: timing.samples + 1 };
}

/** Less is no slowness of the job's: a table that refuses a request for want of capacity costs as much, before and after it. */
const LEAST_DIFFERENCE_MS = 5_000;

/** A run that worked longer than this is slow. */
export function slowAboveMs(averageMs: number): number {
  return Math.max(2 * averageMs, averageMs + LEAST_DIFFERENCE_MS);
}

/** What a process knows of the average that is stored. */
export interface StoredTiming {
  /** None is stored. */
  readonly timing: JobTiming | undefined;
  /** When this process wrote it, epoch milliseconds; undefined when it only read it. */
  readonly savedAt?: number;
}

/** An average of so many runs is no longer written after each. */
const GROWN_UP_SAMPLES = 10;
const SMALL_CHANGES_EVERY_MS = 60 * 60_000;

/**
 * Whether what was learned is to be saved now; what is not is lost when the process ends. So a young average is saved after
 * each run; an older one as soon as what counts as slow has moved by a tenth. Less than that, but a fiftieth of the average,
 * is saved once an hour, and by a process that has not saved the job's yet at once: it may end before the job runs again, and
 * the average of a job that runs once a day would stand still.
 */
export function isWorthSaving({ timing, savedAt }: StoredTiming, learned: JobTiming, now: number): boolean {
  if (timing === undefined || timing.samples < GROWN_UP_SAMPLES) return true;
  const limit = slowAboveMs(timing.averageMs);
  if (Math.abs(slowAboveMs(learned.averageMs) - limit) >= limit / 10) return true;
  if (savedAt !== undefined && now < savedAt + SMALL_CHANGES_EVERY_MS) return false;
  return Math.abs(learned.averageMs - timing.averageMs) > timing.averageMs / 50;
}

export function isPausedNow(state: JobState | undefined, now: number): boolean {
  return state?.pause !== undefined && (state.pause.until === undefined || now < state.pause.until);
}
