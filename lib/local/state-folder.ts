import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { BelfryError } from '../domain/errors.ts';
import { FolderLock } from './folder-lock.ts';

/**
 * Where the local runtime keeps an environment's state: tables, logs, queues, schedules made at run time. One process
 * holds the folder at a time.
 */
export class StateFolder {
  readonly path: string;
  readonly #lock: FolderLock;

  private constructor(path: string, lock: FolderLock) {
    this.path = path;
    this.#lock = lock;
  }

  /**
   * @param projectFolder folder with cdk.json
   * @throws BelfryError `AlreadyRunning`, `FolderNotWritable`
   */
  static open(projectFolder: string, environment: string, fresh: boolean): StateFolder {
    const root = join(projectFolder, '.belfry');
    let lock: FolderLock | undefined;
    try {
      mkdirSync(root, { recursive: true });
      accessSync(root, constants.W_OK);
      lock = FolderLock.acquire(join(root, 'dev.lock'), relative(process.cwd(), root) || root);
      const path = join(root, environment);
      if (fresh) rmSync(path, { recursive: true, force: true });
      for (const folder of ['dynamodb', 'logs', 'queues']) mkdirSync(join(path, folder), { recursive: true });
      const probe = join(path, '.probe');
      writeFileSync(probe, Buffer.alloc(64 * 1024));
      rmSync(probe);
      return new StateFolder(path, lock);
    } catch (error) {
      lock?.release();
      throw error instanceof BelfryError ? error : notWritable(root, error);
    }
  }

  file(...path: string[]): string {
    return join(this.path, ...path);
  }

  /** Folder in which Node may keep compiled code, for all environments. */
  get compileCache(): string {
    return join(this.path, '..', 'cache');
  }

  /** JSON that was written here before, or undefined. */
  readJson(name: string): unknown {
    try {
      return JSON.parse(readFileSync(this.file(name), 'utf8'));
    } catch {
      return undefined;
    }
  }

  /**
   * Replaces the file as a whole: whatever goes wrong, there is either what was before or all of this.
   * @throws BelfryError `FolderNotWritable`
   */
  writeJson(name: string, value: unknown): void {
    const [file, next] = [this.file(name), this.file(`.${name}.next`)];
    this.guard(() => {
      writeFileSync(next, `${JSON.stringify(value, undefined, 2)}\n`);
      renameSync(next, file);
    });
  }

  /**
   * Does what writes in this folder.
   * @throws BelfryError `FolderNotWritable` for what the system says
   */
  guard<Value>(write: () => Value): Value {
    try {
      return write();
    } catch (error) {
      throw notWritable(join(this.path, '..'), error);
    }
  }

  close(): void {
    this.#lock.release();
  }
}

function notWritable(root: string, error: unknown): BelfryError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const reason =
    code === 'ENOSPC'
      ? 'the disk is full: free some space'
      : code === 'EROFS' || code === 'EACCES' || code === 'EPERM'
        ? `it cannot be written (${code}): run in a folder of yours, or give yourself write permission on ${dirname(root)}`
        : `${error instanceof Error ? error.message : String(error)}`;
  return new BelfryError('FolderNotWritable', `the local state is kept in ${root}, and ${reason}`, { cause: error });
}
