import { isFinished, type RunRecord } from '../../domain/run/run-record.ts';
import type { ConsoleRun } from './console-state.ts';

/** What the console shows of a run's record. */
export function consoleRun(run: RunRecord): ConsoleRun {
  const { job, scheduledTime, status, attempts, trigger, claimedAt, updatedAt, nextAttemptAt, error, cause } = run;
  return {
    job,
    scheduledTime,
    status,
    attempts,
    trigger,
    ...(claimedAt === undefined ? {} : { startedAt: claimedAt }),
    ...(updatedAt !== undefined && isFinished(run) && claimedAt !== undefined ? { endedAt: updatedAt } : {}),
    ...(nextAttemptAt === undefined ? {} : { nextAttemptAt }),
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** What a handler left as text: JSON, unless somebody wrote it by hand. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
