import { BelfryError } from '../../lib/domain/errors.ts';
import type { Claim } from '../../lib/domain/run/run-record.ts';

export function fenced(claim: Claim): BelfryError {
  return new BelfryError(
    'Fenced',
    `attempt ${claim.attempt} of job '${claim.job}' no longer has its run: its lease expired and another attempt took over, or the run was closed; stop, whatever is written now may repeat what the other does`,
  );
}

export function deadlineReached(runningTimeMs: number): BelfryError {
  const seconds = Math.round(runningTimeMs / 1000);
  return new BelfryError(
    'DeadlineReached',
    `the attempt had ${seconds} s and did not end: raise the job's timeout, pass run.signal on to what can be aborted, or split the work with run.step and run.continueLater`,
  );
}

export function tooManySegments(job: string, most: number): BelfryError {
  return new BelfryError(
    'TooManySegments',
    `job '${job}' has used ${most} invocations for one attempt and is not done: raise maxSegments, or check that the handler gets further in each`,
  );
}

export function committedTwice(job: string): BelfryError {
  return new BelfryError(
    'CommittedTwice',
    `job '${job}' called run.commit a second time: the first call finished the run; put all items into one call (at most 99)`,
  );
}

export function commitRefused(job: string, reasons: readonly string[]): BelfryError {
  const failed = reasons.flatMap((reason, index) => (reason === 'None' ? [] : [`item ${index}: ${reason}`]));
  return new BelfryError(
    'CommitRefused',
    `run.commit of job '${job}' was refused (${failed.join(', ')}) and wrote nothing: a condition of these items does not hold; read their state again, then commit what fits it`,
  );
}

export function isCancelled(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof BelfryError && signal.reason.code === 'Cancelled';
}

export function attemptEnded(job: string, what: string): BelfryError {
  return new BelfryError(
    'AttemptEnded',
    `job '${job}' began ${what} after its attempt had ended: await everything, and stop when run.signal aborts`,
  );
}
