import type { RunStatus } from '../../lib/domain/run/run-record.ts';
import type { Attempt } from './attempt.ts';
import { printAttempt, printRefusal } from './lines.ts';

/** How an attempt ended. `fenced`: its run belongs to another attempt now, or was closed. */
export interface Settlement {
  readonly status: RunStatus | 'fenced';
  readonly nextAttemptAt?: number;
  /** The next attempt is this invocation's to make. */
  readonly inPlace: boolean;
  /** The same attempt goes on in another invocation. */
  readonly continues: boolean;
}

/** Tells the log and the metrics how the attempt ended. */
export function reportAttempt(
  attempt: Attempt,
  status: RunStatus,
  message: string,
  error?: unknown,
  more: { readonly continues?: boolean; readonly cause?: string | undefined } = {},
): Settlement {
  const { continues = false, cause } = more;
  const { claim, dependencies, context, addedMetrics: metrics } = attempt;
  const { job, scheduledTime, trigger, fencingToken, segments } = claim;
  printAttempt(dependencies, {
    job,
    scheduledTime,
    status,
    message: `attempt ${claim.attempt} ${message}`,
    attempt: claim.attempt,
    trigger,
    durationMs: Math.round(attempt.tookMs()),
    latenessMs: attempt.startedAt - scheduledTime,
    fencingToken,
    requestId: context.awsRequestId,
    segments: segments > 0 || continues ? segments + 1 : undefined,
    cause,
    error,
    metrics,
    continues,
  });
  return { status, inPlace: false, continues };
}

/** The attempt had lost its run when it ended. */
export function reportFenced({ claim, dependencies, context }: Attempt): Settlement {
  const { job, scheduledTime, attempt } = claim;
  printRefusal(dependencies, {
    job,
    scheduledTime,
    outcome: 'fenced',
    requestId: context.awsRequestId,
    level: 'warn',
    message: `attempt ${attempt} no longer had its run when it ended: nothing was written`,
  });
  return { status: 'fenced', inPlace: false, continues: false };
}
