/** Told once when a store cannot be used any more (`error`), and once when it can again (`warn`). */
export type TellTrouble = (level: 'error' | 'warn', text: string) => void;

/** Says once what is wrong with a store and what to do, and once that it is well again. */
export class StoreTrouble {
  readonly #folder: string | undefined;
  readonly #tell: TellTrouble;
  #told = false;

  constructor(folder: string | undefined, tell: TellTrouble) {
    this.#folder = folder;
    this.#tell = tell;
  }

  /** What the caller is answered. */
  strike(error: unknown): string {
    const reason = reasonOf(error);
    if (!this.#told && this.#folder !== undefined) {
      this.#tell(
        'error',
        `the tables in ${this.#folder} cannot be written: ${reason}; ${adviceOn(reason)}. Nothing that was answered is lost: requests fail until then, and runs go on by themselves`,
      );
      this.#told = true;
    }
    return `the local tables cannot be used: ${reason}`;
  }

  clear(): void {
    if (!this.#told) return;
    this.#told = false;
    this.#tell('warn', `the tables in ${this.#folder} can be written again`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function adviceOn(reason: string): string {
  if (/no space|disk quota/i.test(reason)) return 'the disk is full: free some space';
  if (/file too large/i.test(reason)) return 'the size of files is limited here: raise the limit (ulimit -f)';
  if (/read-only|permission denied/i.test(reason)) return 'make the folder writable again';
  return 'look at its disk';
}
