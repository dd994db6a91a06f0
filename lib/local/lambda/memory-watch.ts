import { readFileSync } from 'node:fs';

const INTERVAL_MS = 20;
const PAGE_BYTES = 4096;

/**
 * Looks at how much memory processes use while they run an invocation. Node's own limits do not stop buffers, so the
 * resident size counts. Only Linux tells it cheaply; elsewhere nothing is measured and no limit holds.
 */
export class MemoryWatch {
  readonly #watched = new Map<number, (memoryMb: number) => void>();
  #timer: NodeJS.Timeout | undefined;

  add(pid: number, onMeasured: (memoryMb: number) => void): void {
    if (process.platform !== 'linux') return;
    this.#watched.set(pid, onMeasured);
    this.#timer ??= setInterval(() => this.#measure(), INTERVAL_MS);
  }

  /** Stops looking at a process. Returns what it uses now, 0 when that cannot be told. */
  remove(pid: number): number {
    if (!this.#watched.delete(pid)) return 0;
    return residentMb(pid);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watched.clear();
  }

  #measure(): void {
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const [pid, onMeasured] of this.#watched) onMeasured(residentMb(pid));
  }
}

function residentMb(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return Math.ceil((pages * PAGE_BYTES) / (1024 * 1024));
  } catch {
    return 0;
  }
}
