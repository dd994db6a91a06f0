import type { MiddlewareObj, Request } from '@middy/core';
import type { Attempt } from './attempt.ts';
import { beginAttempt } from './begin-attempt.ts';
import { settle, watchDeadline } from './carry-out.ts';
import { dependenciesFor, type JobOptions } from './define-job.ts';
import type { JobRun } from './job-run.ts';
import { keepAlive } from './keep-alive.ts';
import { createRun } from './run-context.ts';
import { follow, outcomeOf, type RunOutcome, readEvent } from './run-once.ts';

/** Where the middleware puts the run: `request.internal.belfryRun` for middlewares, `context.belfryRun` for the handler. */
export interface BelfryContext {
  readonly belfryRun: JobRun;
}

interface InFlight {
  readonly attempt: Attempt;
  stop(): void;
}

/**
 * The middleware for a middy chain of one's own: claims before the handler, records how it ended after it. A delivery that
 * starts nothing ends the chain early with its outcome. Each invocation makes one attempt; retries come as invocations of
 * their own. Put it first, so that what other middlewares throw counts as the attempt's failure.
 */
export function belfry(options: JobOptions = {}): MiddlewareObj<unknown, RunOutcome> {
  const dependenciesOf = dependenciesFor(options);
  const inFlight = new WeakMap<object, InFlight>();
  const version = options.checkpointVersion === undefined ? {} : { checkpointVersion: options.checkpointVersion };

  const before = async (request: Request<unknown, RunOutcome>): Promise<RunOutcome | undefined> => {
    const { context } = request;
    const dependencies = dependenciesOf(request.event);
    const event = readEvent(dependencies, request.event, context);
    const acquiring = { dependencies, event, context, claimToken: dependencies.newClaimToken() };
    const begun = await beginAttempt(acquiring, version);
    if (!('attempt' in begun)) return outcomeOf(event, begun.refusal, undefined);
    const { attempt } = begun;
    const stopKeepingAlive = keepAlive(attempt);
    // The chain cannot be cut short, but the run must be told before Lambda ends the process.
    const forgetDeadline = watchDeadline(attempt, () => {
      settle(attempt, { kind: 'overran' })
        .then((settlement) => follow(attempt, settlement))
        .catch(() => {});
    });
    inFlight.set(request.context, {
      attempt,
      stop() {
        forgetDeadline();
        stopKeepingAlive();
      },
    });
    const run = createRun(attempt);
    Object.assign(request.context, { belfryRun: run });
    Object.assign(request.internal, { belfryRun: run });
    return undefined;
  };

  const end = async (request: Request<unknown, RunOutcome>, ending: Parameters<typeof settle>[1]) => {
    const found = inFlight.get(request.context);
    if (found === undefined) return;
    inFlight.delete(request.context);
    found.stop();
    const settlement = await settle(found.attempt, ending);
    await follow(found.attempt, settlement);
    request.response = outcomeOf(found.attempt.event, settlement.status, found.attempt.claim.attempt);
  };

  return {
    name: 'belfry',
    before,
    after: (request) => end(request, { kind: 'returned', value: request.response }),
    onError: (request) => end(request, { kind: 'threw', error: request.error }),
  };
}
