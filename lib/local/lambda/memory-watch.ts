import { closeSync, openSync, readSync } from 'node:fs';

const INTERVAL_MS = 20;
const PAGE_BYTES = 4096;

/**
 * Looks at how much memory processes use while they run an invocation. Node's own limits do not stop buffers, so the
 * resident size counts. Only Linux tells it cheaply; elsewhere nothing is measured and no limit holds.
 */
export class MemoryWatch {
  readonly #watched = new Map<number, (memoryMb: number) => void>();
  /** Where the system tells it, by process. Each is opened once: a process is looked at with every invocation. */
  readonly #files = new Map<number, number>();
  readonly #text = Buffer.alloc(256);
  #timer: NodeJS.Timeout | undefined;

  add(pid: number, onMeasured: (memoryMb: number) => void): void {
    if (process.platform !== 'linux') return;
    this.#watched.set(pid, onMeasured);
    this.#timer ??= setInterval(() => this.#measure(), INTERVAL_MS);
  }

  /** Stops looking at a process. Returns what it uses now, 0 when that cannot be told. */
  remove(pid: number): number {
    if (!this.#watched.delete(pid)) return 0;
    return this.#residentMb(pid);
  }

  /** Has to be told of every process that has ended: another one may get its id. */
  forget(pid: number): void {
    const file = this.#files.get(pid);
    if (file === undefined) return;
    this.#files.delete(pid);
    closeSync(file);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watched.clear();
    for (const pid of this.#files.keys()) this.forget(pid);
  }

  #measure(): void {
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const [pid, onMeasured] of this.#watched) onMeasured(this.#residentMb(pid));
  }

  #residentMb(pid: number): number {
    try {
      let file = this.#files.get(pid);
      if (file === undefined) {
        file = openSync(`/proc/${pid}/statm`, 'r');
        this.#files.set(pid, file);
      }
      const length = readSync(file, this.#text, 0, this.#text.length, 0);
      const pages = Number(this.#text.toString('latin1', 0, length).split(' ')[1]);
      return Math.ceil((pages * PAGE_BYTES) / (1024 * 1024));
    } catch {
      return 0;
    }
  }
}
