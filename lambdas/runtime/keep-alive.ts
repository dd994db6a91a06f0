import { BelfryError } from '../../lib/domain/errors.ts';
import type { Attempt } from './attempt.ts';

/** How often an attempt looks whether a later occurrence wants it gone. */
const LOOK_FOR_CANCEL_MS = 5_000;
/** A handler must stop this long before its lease ends when the lease cannot be renewed. */
const STOP_BEFORE_MS = 5_000;

/** What goes on beside the handler: renewing a heartbeat lease, and looking for a cancellation. Returns how to end it. */
export function keepAlive(attempt: Attempt): () => void {
  const { job } = attempt.dependencies;
  const stopRenewing = job.lease === 'heartbeat' ? renewing(attempt) : undefined;
  const stopLooking = job.overlap === 'cancelOther' ? lookingForCancel(attempt) : undefined;
  return () => {
    stopRenewing?.();
    stopLooking?.();
  };
}

function renewing(attempt: Attempt): () => void {
  const { clock } = attempt.dependencies;
  const { heartbeatEveryMs, heartbeatLeaseMs } = attempt.times;
  // Apart from the renewals: one that gets no answer at all must not keep the handler at work past its lease.
  const stopIn = (ms: number) => clock.after(ms, () => attempt.abort(leaseNotRenewed(attempt)));
  let cancelStop = stopIn(heartbeatLeaseMs - STOP_BEFORE_MS);
  const end = every(attempt, heartbeatEveryMs, async () => {
    const asked = clock.elapsed();
    const renewed = await attempt.renew().catch(() => false);
    if (!renewed) return;
    cancelStop();
    cancelStop = stopIn(heartbeatLeaseMs - STOP_BEFORE_MS - (clock.elapsed() - asked));
  });
  return () => {
    end();
    cancelStop();
  };
}

function lookingForCancel(attempt: Attempt): () => void {
  const { claim, dependencies } = attempt;
  return every(attempt, LOOK_FOR_CANCEL_MS, async () => {
    const run = await dependencies.store.getRun(claim).catch(() => undefined);
    if (run?.cancelRequestedAt !== undefined) attempt.abort(cancelled(attempt));
  });
}

/** Calls `look` again and again, one at a time, until the attempt is settled or the returned function is called. */
function every(attempt: Attempt, ms: number, look: () => Promise<void>): () => void {
  const { clock } = attempt.dependencies;
  let cancel = () => {};
  let ended = false;
  const arm = () => {
    cancel = clock.after(ms, async () => {
      if (ended || attempt.settled || attempt.committed) return;
      await look();
      if (!ended) arm();
    });
  };
  arm();
  return () => {
    ended = true;
    cancel();
  };
}

function leaseNotRenewed(attempt: Attempt): BelfryError {
  return new BelfryError(
    'LeaseNotRenewed',
    `the lease of job '${attempt.claim.job}' could not be renewed and is about to end: stop, another attempt may start`,
  );
}

export function cancelled(attempt: Attempt): BelfryError {
  return new BelfryError(
    'Cancelled',
    `a later occurrence of job '${attempt.claim.job}' is due and its overlap policy is 'cancelOther': stop`,
  );
}
