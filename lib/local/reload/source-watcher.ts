import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Changes that come closer together than this are one: editors and branch switches write many files. */
const QUIET_MS = 50;
/** Not what the app is made from: hidden folders, dependencies, output. */
const IGNORED_FOLDER = /^(\..*|node_modules|cdk\.out.*|dist|coverage|docs?|tests?)$/;
const IGNORED_FILE = /(^|\/)(node_modules\/|\.|.*(\.md|\.log|\.tgz|~|\.swp|\.test\.ts)$)/;

/** Tells when files of a project change. */
export class SourceWatcher {
  readonly #watchers: FSWatcher[] = [];
  readonly #onChange: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param onFailed called when the system does not let us watch, which ends this watcher */
  constructor(projectFolder: string, onChange: () => void, onFailed: (error: Error) => void) {
    this.#onChange = onChange;
    const add = (folder: string, recursive: boolean) => {
      const watcher = watch(folder, { recursive }, (_event, file) => {
        if (file === null || !IGNORED_FILE.test(file)) this.#changed();
      });
      watcher.on('error', (error: Error) => {
        this.close();
        onFailed(error);
      });
      this.#watchers.push(watcher);
    };
    try {
      add(projectFolder, false);
      for (const entry of readdirSync(projectFolder, { withFileTypes: true })) {
        if (entry.isDirectory() && !IGNORED_FOLDER.test(entry.name)) add(join(projectFolder, entry.name), true);
      }
    } catch (error) {
      this.close();
      onFailed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }

  #changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, QUIET_MS);
  }
}
