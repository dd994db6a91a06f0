import { SourceWatcher } from './source-watcher.ts';

export interface AutoReloadOptions {
  readonly projectFolder: string;
  readonly reload: () => Promise<void>;
  /** The app as it is now cannot be taken over; what runs goes on as it was. */
  readonly onFailed: (error: Error) => void;
  /** It can be again, after it could not. */
  readonly onMended?: () => void;
}

/** Reloads when files of the project change, one reload at a time. */
export class AutoReload {
  readonly #options: AutoReloadOptions;
  readonly #watcher: SourceWatcher;
  #running: Promise<void> | undefined;
  #again = false;
  #failed = false;

  constructor(options: AutoReloadOptions) {
    this.#options = options;
    this.#watcher = new SourceWatcher(
      options.projectFolder,
      () => this.#changed(),
      (error) => options.onFailed(new Error(`changes cannot be watched (${error.message}): restart to pick them up`)),
    );
  }

  /** Resolves when a reload that was going on has ended. */
  async close(): Promise<void> {
    this.#watcher.close();
    this.#again = false;
    await this.#running;
  }

  #changed(): void {
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#running = this.#reload().finally(() => {
      this.#running = undefined;
      if (this.#again) this.#changed();
    });
  }

  async #reload(): Promise<void> {
    this.#again = false;
    try {
      await this.#options.reload();
      if (this.#failed) this.#options.onMended?.();
      this.#failed = false;
    } catch (error) {
      this.#failed = true;
      this.#options.onFailed(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
