import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { BelfryError } from '../domain/errors.ts';

interface Holder {
  readonly pid: number;
  /** When the process started, in the system's own count: a number that was given again is not the same process. */
  readonly startedAt?: string;
}

/** A lock file that names its holder. One whose holder is gone is taken over. */
export class FolderLock {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /**
   * @param folder the folder as the message should name it
   * @throws BelfryError `AlreadyRunning`; whatever the system says when the file cannot be written
   */
  static acquire(file: string, folder: string): FolderLock {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        writeHolder(file);
        return new FolderLock(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = readHolder(file);
      if (holder !== undefined && isAlive(holder)) {
        throw new BelfryError(
          'AlreadyRunning',
          `process ${holder.pid} already runs on ${folder}: two runs on one folder would fire everything twice; stop that one, or run in another checkout`,
        );
      }
      takeAway(file, holder);
    }
    throw new BelfryError('AlreadyRunning', `${file} keeps being taken by others: try again`);
  }

  release(): void {
    if (readHolder(this.#file)?.pid === process.pid) rmSync(this.#file, { force: true });
  }
}

/** Who holds a lock file, or left it behind; `pid` is undefined when the file does not say. Undefined when there is none. */
export function inspectLock(file: string): { readonly pid: number | undefined; readonly alive: boolean } | undefined {
  const holder = readHolder(file);
  if (holder !== undefined) return { pid: holder.pid, alive: isAlive(holder) };
  return existsSync(file) ? { pid: undefined, alive: false } : undefined;
}

/** Takes the lock, or leaves nothing behind: on a full disk a file can be made, but not written. */
function writeHolder(file: string): void {
  const descriptor = openSync(file, 'wx');
  try {
    writeFileSync(descriptor, JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) }));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Removes a dead holder's file. Should another process have taken the lock in between, it gets it back. */
function takeAway(file: string, holder: Holder | undefined): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    const taken = readHolder(aside);
    if (taken?.pid !== holder?.pid && taken !== undefined && isAlive(taken)) renameSync(aside, file);
    else rmSync(aside, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as Holder;
    return Number.isInteger(holder.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return holder.startedAt === undefined || startOf(holder.pid) === holder.startedAt;
}

/** Field 22 of /proc/<pid>/stat; undefined where there is no such thing. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
