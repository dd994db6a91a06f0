import type { Attempt } from './attempt.ts';
import { deadlineReached } from './attempt-errors.ts';
import type { Settlement } from './attempt-report.ts';
import type { JobHandler } from './job-run.ts';
import { cancelled, keepAlive } from './keep-alive.ts';
import { ContinuationRequest, createRun, EndOfSegment } from './run-context.ts';

/** After the signal has aborted, a handler has this long to end by itself. */
const WIND_UP_MS = 1_000;

type HandlerEnd =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'overran' };

/** Lets the handler work until it ends or its time is up, and settles the attempt. */
export async function carryOut(attempt: Attempt, handler: JobHandler): Promise<Settlement> {
  if (attempt.claim.cancelRequestedAt !== undefined) return attempt.fail(cancelled(attempt));
  const stopKeepingAlive = keepAlive(attempt);
  let forgetDeadline = () => {};
  try {
    const end = await new Promise<HandlerEnd>((resolve) => {
      forgetDeadline = watchDeadline(attempt, () => resolve({ kind: 'overran' }));
      callHandler(attempt, handler).then(
        (value) => resolve({ kind: 'returned', value }),
        (error: unknown) => resolve({ kind: 'threw', error }),
      );
    });
    return await settle(attempt, end);
  } finally {
    forgetDeadline();
    stopKeepingAlive();
  }
}

/** What the handler throws before its first wait is a rejection as well. */
async function callHandler(attempt: Attempt, handler: JobHandler): Promise<unknown> {
  return handler(createRun(attempt));
}

export async function settle(attempt: Attempt, end: HandlerEnd): Promise<Settlement> {
  const settlement = await settleBy(attempt, end);
  attempt.dependencies.turns?.ended(attempt.claim, settlement.status);
  return settlement;
}

function settleBy(attempt: Attempt, end: HandlerEnd): Promise<Settlement> {
  switch (end.kind) {
    case 'returned':
      return end.value instanceof ContinuationRequest
        ? attempt.continueLater(end.value.state)
        : attempt.succeed(end.value);
    case 'threw':
      if (end.error instanceof EndOfSegment) return attempt.continueLater(undefined);
      return attempt.overran ? timeOut(attempt) : attempt.fail(end.error);
    case 'overran':
      return timeOut(attempt);
  }
}

function timeOut(attempt: Attempt): Promise<Settlement> {
  // With automatic continuation a segment that got further goes on; one that did not would only repeat itself.
  const goesOn = attempt.dependencies.job.continuation === 'auto' && attempt.stepsSaved > 0;
  return goesOn ? attempt.continueLater(undefined) : attempt.timeOut();
}

/**
 * Aborts the signal at the deadline, and calls back when the handler has had its time to wind up as well. Returns how to
 * end the watch.
 */
export function watchDeadline(attempt: Attempt, overran: () => void): () => void {
  const { clock } = attempt.dependencies;
  let cancel = clock.after(attempt.runningTimeMs, () => {
    attempt.overran = true;
    attempt.abort(deadlineReached(attempt.runningTimeMs));
    cancel = clock.after(WIND_UP_MS, overran);
  });
  return () => cancel();
}
