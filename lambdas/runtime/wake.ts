import type { Acquiring, Acquisition } from './acquire.ts';
import type { Attempt } from './attempt.ts';
import type { InvocationContext } from './dependencies.ts';
import { describeError, isoInstant } from './lines.ts';

/** EventBridge takes no schedule for an instant that has passed when it gets the request, by its own clock. */
const SOONEST_MS = 5_000;

/**
 * Arms a delivery for when a run that could not be started may be. The record and the watchdog carry the truth; but a
 * delivery that found its run busy may be the last one, so if arming fails Lambda must keep the event.
 */
export async function armWakeUp(
  { dependencies, event, context }: Acquiring,
  { refusal, wakeAt, run }: Extract<Acquisition, { readonly refusal: string }>,
): Promise<void> {
  const { wakeUps, clock } = dependencies;
  if (wakeAt === undefined || wakeUps === undefined) return;
  await wakeUps.arm({
    ...event,
    at: Math.max(wakeAt, clock.now() + SOONEST_MS),
    purpose: refusal === 'early' ? `r${run?.fencingToken ?? 0}` : waitUntil(wakeAt, event.scheduledTime),
    target: functionArn(context),
  });
}

/**
 * A function may have been invoked by the name of a version or an alias: its role may not, nor do schedules and the
 * watchdog use one.
 */
function functionArn({ invokedFunctionArn }: InvocationContext): string {
  return invokedFunctionArn.split(':').slice(0, 7).join(':');
}

/**
 * Named by what it waits for: a wake-up that finds the lease renewed, or the turn with another run, arms one for the new
 * instant, although EventBridge has not removed its own schedule yet. Waiting for the same instant again is no new one.
 */
function waitUntil(instant: number, scheduledTime: number): string {
  return `w${Math.max(0, Math.ceil((instant - scheduledTime) / 1_000)).toString(36)}`;
}

/** Arms the next attempt. When that fails the watchdog finds it due. */
export async function armRetry(attempt: Attempt, at: number): Promise<void> {
  await armOrTell(attempt, at, `r${attempt.claim.fencingToken}`);
}

/** Arms the next segment. When that fails the watchdog finds it due. */
export async function armContinuation(attempt: Attempt, at: number): Promise<void> {
  await armOrTell(attempt, at, `c${attempt.claim.fencingToken}`);
}

async function armOrTell(attempt: Attempt, at: number, purpose: string): Promise<void> {
  const { dependencies, event, context, claim } = attempt;
  const soonest = Math.max(at, dependencies.clock.now() + SOONEST_MS);
  try {
    await dependencies.wakeUps?.arm({ ...event, at: soonest, purpose, target: functionArn(context) });
  } catch (error) {
    const { message } = describeError(error);
    dependencies.print(
      JSON.stringify({
        event: 'log',
        level: 'warn',
        message: `the next attempt could not be armed, the watchdog will deliver it: ${message}`,
        job: claim.job,
        scheduledTime: isoInstant(claim.scheduledTime),
        at: isoInstant(dependencies.clock.now()),
      }),
    );
  }
}
