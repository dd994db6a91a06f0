import type { LocalEvent } from './local-event.ts';

/** How long, in real time, until what could not be written is tried again. */
const AGAIN_MS = 2_000;

type Note = Extract<LocalEvent, { type: 'note' }>;

/**
 * Writes of what is held in memory as well. One that fails, because the disk is full or the folder was taken away, is told
 * once and tried again until it works: the run goes on meanwhile, and nothing is lost unless it ends before.
 */
export class SteadyWrite {
  readonly #what: string;
  readonly #write: () => void;
  readonly #tell: (note: Note) => void;
  #again: NodeJS.Timeout | undefined;

  /**
   * @param what as a message names it, e.g. `queue 'dead-letters'`
   * @param write brings the file up to what is in memory; throws when it cannot, and is then called again
   */
  constructor(what: string, write: () => void, tell: (note: Note) => void) {
    this.#what = what;
    this.#write = write;
    this.#tell = tell;
  }

  /** Writes now, or as soon as it can. */
  save(): void {
    const failedBefore = this.#again !== undefined;
    clearTimeout(this.#again);
    this.#again = undefined;
    try {
      this.#write();
      if (failedBefore) this.#tell({ type: 'note', level: 'info', text: `${this.#what} can be written again` });
    } catch (error) {
      this.#again = setTimeout(() => this.save(), AGAIN_MS).unref();
      if (failedBefore) return;
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'ENOSPC' ? 'the disk is full, free some space' : message;
      const text = `${this.#what} cannot be written: ${reason}. It is kept in memory and tried again; it is lost if this run ends before`;
      this.#tell({ type: 'note', level: 'error', text });
    }
  }

  /** Tries no more, after one last time. */
  close(): void {
    if (this.#again === undefined) return;
    this.save();
    clearTimeout(this.#again);
  }
}
