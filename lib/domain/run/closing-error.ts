import type { RunRecord } from './run-record.ts';

/** The claim token of a run that was closed by somebody who has none. */
export function closingToken(now: number): string {
  return `closed-${now}`;
}

/** What the record of a run says that somebody else had to close. */
export function closingError(cause: string, run: RunRecord): string {
  const unknown = run.status === 'running' ? '; the last one left no word, so its outcome is unknown' : '';
  return `${cause} after ${run.attempts} ${run.attempts === 1 ? 'attempt' : 'attempts'}${unknown}`;
}
