import { type Finding, ok, wrong } from './finding.ts';

/** Who holds the folder of a local run. */
export interface LockState {
  /** The lock file, as the message should name it. */
  readonly file: string;
  /** Undefined when the file cannot be read. */
  readonly pid: number | undefined;
  readonly alive: boolean;
}

export function judgeLock(lock: LockState | undefined): Finding {
  if (lock === undefined) return ok('dev lock', 'no dev run holds this folder');
  if (lock.alive) return ok('dev lock', `a dev run holds this folder, process ${lock.pid}`);
  return wrong(
    'dev lock',
    lock.pid === undefined
      ? `${lock.file} was left behind and names no process`
      : `${lock.file} was left behind by process ${lock.pid}, which is gone`,
    `nothing is lost: start 'belfry dev' again, which takes the lock over, or delete ${lock.file}`,
  );
}

export interface PortState {
  readonly port: number;
  /** Error code of an attempt to listen there; undefined when the port is free. */
  readonly refusal: string | undefined;
}

/** @param lock a dev run of this folder, which may be who listens */
export function judgePort({ port, refusal }: PortState, lock: LockState | undefined): Finding {
  if (refusal === undefined) return ok('port', `${port} is free on 127.0.0.1`);
  if (refusal === 'EADDRINUSE' && lock?.alive === true) {
    return ok('port', `${port} is in use, by the dev run (process ${lock.pid}) or another program`);
  }
  const found =
    refusal === 'EADDRINUSE' ? `${port} is in use by another program` : `${port} cannot be listened on (${refusal})`;
  return wrong(
    'port',
    found,
    `give 'belfry dev' another port with --port, or stop what listens there ('lsof -i :${port}' or 'ss -ltnp' tell what)`,
  );
}
