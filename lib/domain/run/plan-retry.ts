import type { RetryPolicy } from '../job.ts';
import { textHash } from '../text-hash.ts';

export type RetryPlan =
  /** No attempt is left. */
  | { readonly action: 'giveUp' }
  /** Wait inside this invocation, then claim again. */
  | { readonly action: 'retryInPlace'; readonly nextAttemptAt: number }
  /** End this invocation; another one carries on at `nextAttemptAt`. */
  | { readonly action: 'retryLater'; readonly nextAttemptAt: number };

export interface RetrySituation {
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly now: number;
  /** What is left of the invocation. */
  readonly remainingMs: number;
  /** How long the failed attempt took: the next one should have as much. */
  readonly attemptTookMs: number;
  /** Same seed, same delay. */
  readonly seed: string;
}

/** Waiting in place is paid by the millisecond, and a one-time schedule keeps only to the minute: the border. */
const LONGEST_WAIT_IN_PLACE_MS = 60_000;
/** Beyond the delay and another attempt of the same length. */
const ROOM_FOR_ATTEMPT_MS = 6_000;

export function planRetry(policy: RetryPolicy, situation: RetrySituation): RetryPlan {
  if (situation.attempt >= policy.maxAttempts) return { action: 'giveUp' };
  const delay = retryDelay(policy, situation.attempt, situation.seed);
  const nextAttemptAt = situation.now + delay;
  const fits =
    delay <= LONGEST_WAIT_IN_PLACE_MS && delay + situation.attemptTookMs + ROOM_FOR_ATTEMPT_MS <= situation.remainingMs;
  return { action: fits ? 'retryInPlace' : 'retryLater', nextAttemptAt };
}

/**
 * Milliseconds between the end of attempt `attempt` and the next one. Exponential delays have full jitter (anything from
 * 0 to the delay), drawn from the seed, so that jobs failing together do not come back together.
 */
export function retryDelay(policy: RetryPolicy, attempt: number, seed: string): number {
  const { initialDelayMs, maxDelayMs } = policy;
  switch (policy.backoff) {
    case 'fixed':
      return Math.min(maxDelayMs, initialDelayMs);
    case 'linear':
      return Math.min(maxDelayMs, initialDelayMs * attempt);
    case 'exponential':
      return Math.round(
        Math.min(maxDelayMs, initialDelayMs * 2 ** (attempt - 1)) * (textHash(`${seed}#${attempt}`) / 0xffffffff),
      );
  }
}
