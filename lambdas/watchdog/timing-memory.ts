import { isWorthSaving, type JobTiming, type StoredTiming } from '../../lib/domain/watch/job-state.ts';

interface Known {
  readonly timing: JobTiming;
  readonly stored: StoredTiming;
}

/** A save that waits: what was learned, and from which stored average. */
export interface UnsavedTiming {
  readonly job: string;
  readonly timing: JobTiming;
  readonly before: JobTiming | undefined;
}

/** Averages that this process knows, by job: they need not be read again, and not each of them be saved. */
export class TimingMemory {
  readonly #known = new Map<string, Known>();
  readonly #unsaved = new Set<string>();

  timingOf(job: string): JobTiming | undefined {
    return this.#known.get(job)?.timing;
  }

  /** It is stored like this. If this process did not leave it so, another watchdog did: then that one counts. */
  read(job: string, timing: JobTiming): void {
    if (this.#known.get(job)?.stored.timing?.samples === timing.samples) return;
    this.#unsaved.delete(job);
    this.#known.set(job, { timing, stored: { timing } });
  }

  learn(job: string, timing: JobTiming, now: number): void {
    const stored = this.#known.get(job)?.stored ?? { timing: undefined };
    this.#known.set(job, { timing, stored });
    if (isWorthSaving(stored, timing, now)) this.#unsaved.add(job);
  }

  /** Those worth saving, the longest known as such first. */
  unsaved(most: number): readonly UnsavedTiming[] {
    return [...this.#unsaved].slice(0, most).flatMap((job) => {
      const known = this.#known.get(job);
      return known === undefined ? [] : [{ job, timing: known.timing, before: known.stored.timing }];
    });
  }

  saved(job: string, timing: JobTiming, now: number): void {
    this.#known.set(job, { timing, stored: { timing, savedAt: now } });
    this.#unsaved.delete(job);
  }

  /** Somebody else knows better: it is read again when it is needed. */
  forget(job: string): void {
    this.#known.delete(job);
    this.#unsaved.delete(job);
  }
}
