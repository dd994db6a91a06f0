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

/** Whether the stored average is so far from this one that a write pays. */
export function isWorthSaving(stored: JobTiming | undefined, learned: JobTiming): boolean {
  if (stored === undefined || stored.samples < 10) return true;
  return Math.abs(learned.averageMs - stored.averageMs) > 0.05 * stored.averageMs;
}

export function isPausedNow(state: JobState | undefined, now: number): boolean {
  return state?.pause !== undefined && (state.pause.until === undefined || now < state.pause.until);
}
