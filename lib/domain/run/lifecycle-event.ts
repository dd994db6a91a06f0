import { formatInstant } from '../time/instant.ts';
import { isFinished, type RunRecord } from './run-record.ts';

/** What is told of a run when its state changes. Public: its fields are added to, never changed or taken away. */
export interface LifecycleEvent {
  readonly version: 1;
  readonly environment: string;
  readonly job: string;
  /** ISO instant, UTC. With `job` it identifies the run. */
  readonly scheduledTime: string;
  readonly status: RunRecord['status'];
  /** Null for a run that had no record. */
  readonly previousStatus: RunRecord['status'] | null;
  readonly trigger: RunRecord['trigger'];
  /** Attempts begun. */
  readonly attempt: number;
  /** Grows with every attempt: of two events of a run the one with the higher token is the later. */
  readonly fencingToken: number;
  /** ISO instant at which the state changed. */
  readonly at: string;
  readonly cause?: string;
  readonly error?: string;
  readonly result?: string;
  /** Who asked for the run, or to skip it, and why. */
  readonly requestedBy?: string;
  readonly requestNote?: string;
  /** From the scheduled time to the first attempt, milliseconds. */
  readonly latenessMs?: number;
  /** From the first attempt to the outcome, milliseconds; only of runs that ended. */
  readonly durationMs?: number;
}

/**
 * The event of a change, or undefined when the state is the same: a lease that was renewed, a step that was saved.
 * A run that another attempt takes over changes from `running` to `running`.
 */
export function lifecycleEvent(
  environment: string,
  before: RunRecord | undefined,
  after: RunRecord,
): LifecycleEvent | undefined {
  if (before?.status === after.status && before.fencingToken === after.fencingToken) return undefined;
  const { job, scheduledTime, status, trigger, attempts, fencingToken, claimedAt, updatedAt } = after;
  const at = updatedAt ?? scheduledTime;
  return {
    version: 1,
    environment,
    job,
    scheduledTime: formatInstant(scheduledTime),
    status,
    previousStatus: before?.status ?? null,
    trigger,
    attempt: attempts,
    fencingToken,
    at: new Date(at).toISOString(),
    ...(after.cause === undefined ? {} : { cause: after.cause }),
    ...(after.error === undefined ? {} : { error: after.error }),
    ...(after.result === undefined ? {} : { result: after.result }),
    ...(after.requestedBy === undefined ? {} : { requestedBy: after.requestedBy }),
    ...(after.requestNote === undefined ? {} : { requestNote: after.requestNote }),
    ...(claimedAt === undefined ? {} : { latenessMs: claimedAt - scheduledTime }),
    ...(claimedAt === undefined || !isFinished(after) ? {} : { durationMs: at - claimedAt }),
  };
}
