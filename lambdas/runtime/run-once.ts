import { type OccurrenceEvent, parseOccurrenceEvent } from '../../lib/domain/occurrence-event.ts';
import type { RunStatus } from '../../lib/domain/run/run-record.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { Refusal } from './acquire.ts';
import type { Attempt } from './attempt.ts';
import type { Settlement } from './attempt-report.ts';
import { beginAttempt } from './begin-attempt.ts';
import { carryOut } from './carry-out.ts';
import type { InvocationContext, RuntimeDependencies } from './dependencies.ts';
import type { JobHandler } from './job-run.ts';
import { describeError, isoInstant } from './lines.ts';
import { armContinuation, armRetry } from './wake.ts';

/** What one delivery came to. A duplicate says so in `outcome`: it started nothing. */
export interface RunOutcome {
  readonly job: string;
  /** ISO instant. */
  readonly scheduledTime: string;
  /** The run's status after this delivery, or why the delivery started no attempt or lost the one it made. */
  readonly outcome: RunStatus | Refusal | 'fenced';
  /** The last attempt that this delivery made; absent when it made none. */
  readonly attempt?: number;
}

/**
 * Carries out one delivered occurrence: claims its run, lets `handler` work under the deadline, and records how it ended.
 * Retries whose delay fits the invocation are made here as well.
 * @param event What the function was invoked with.
 * @returns what the delivery came to; a handler that fails is recorded, not thrown.
 * @throws BelfryError for an event that names no occurrence of this job, `NotEnoughTime`, `StoreUnavailable`: Lambda
 * delivers the event again.
 */
export async function runOnce(
  dependencies: RuntimeDependencies,
  event: unknown,
  handler: JobHandler,
  context: InvocationContext,
  options: { readonly checkpointVersion?: string } = {},
): Promise<RunOutcome> {
  const occurrence = readEvent(dependencies, event, context);
  const claimToken = dependencies.newClaimToken();
  const begin = () => beginAttempt({ dependencies, event: occurrence, context, claimToken }, options);
  for (let attempt: number | undefined; ; ) {
    const begun = await begin();
    if (!('attempt' in begun)) return outcomeOf(occurrence, begun.refusal, attempt);
    attempt = begun.attempt.claim.attempt;
    const settlement = await carryOut(begun.attempt, handler);
    if (!settlement.inPlace || settlement.nextAttemptAt === undefined) {
      await follow(begun.attempt, settlement);
      return outcomeOf(occurrence, settlement.status, attempt);
    }
    await dependencies.clock.sleepUntil(settlement.nextAttemptAt);
  }
}

/** @throws BelfryError, after one line that says what is wrong with the event. */
export function readEvent(
  dependencies: RuntimeDependencies,
  event: unknown,
  context: InvocationContext,
): OccurrenceEvent {
  try {
    return parseOccurrenceEvent(event, dependencies.job.name);
  } catch (error) {
    const { name, message } = describeError(error);
    const at = isoInstant(dependencies.clock.now());
    const { awsRequestId: requestId } = context;
    const job = dependencies.job.name;
    dependencies.print(JSON.stringify({ event: 'rejected', level: 'error', message, code: name, job, requestId, at }));
    throw error;
  }
}

/** Sees to it that somebody carries on with what this invocation leaves. */
export async function follow(attempt: Attempt, settlement: Settlement): Promise<void> {
  if (settlement.nextAttemptAt === undefined || settlement.status !== 'pending') return;
  if (settlement.continues) await armContinuation(attempt, settlement.nextAttemptAt);
  else await armRetry(attempt, settlement.nextAttemptAt);
}

export function outcomeOf(
  { job, scheduledTime }: OccurrenceEvent,
  outcome: RunOutcome['outcome'],
  attempt: number | undefined,
): RunOutcome {
  return { job, scheduledTime: formatInstant(scheduledTime), outcome, ...(attempt === undefined ? {} : { attempt }) };
}
