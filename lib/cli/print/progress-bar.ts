import type { WriteStream } from 'node:tty';

const WIDTH = 30;
const REDRAW_MS = 100;

/** A bar on a terminal; nothing anywhere else. */
export class ProgressBar {
  readonly #stream: Pick<WriteStream, 'write'> & { readonly isTTY?: boolean };
  readonly #label: string;
  readonly #now: () => number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  /** @param now milliseconds from any origin; a bar is drawn at most each 100 of them */
  constructor(
    stream: Pick<WriteStream, 'write'> & { readonly isTTY?: boolean },
    label: string,
    now: () => number = () => performance.now(),
  ) {
    this.#stream = stream;
    this.#label = label;
    this.#now = now;
  }

  /** @param done from 0 to 1 */
  show(done: number, detail = ''): void {
    const now = this.#now();
    if (this.#stream.isTTY !== true || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#isShown = true;
    const share = Math.min(1, Math.max(0, done));
    const filled = Math.round(share * WIDTH);
    const percent = String(Math.floor(share * 100)).padStart(3);
    this.#stream.write(
      `\r${this.#label} ${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${percent} % ${detail}\u001b[K`,
    );
  }

  clear(): void {
    if (this.#isShown) this.#stream.write('\r\u001b[K');
    this.#isShown = false;
  }
}
