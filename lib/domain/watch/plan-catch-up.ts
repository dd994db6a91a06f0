import type { CatchUpPolicy } from '../job.ts';

const NO_CATCH_UP: CatchUpPolicy = { policy: 'none', maxAgeMs: 0, maxRuns: 0 };

export interface MisfiredOccurrence {
  /** Epoch milliseconds. */
  readonly scheduledTime: number;
  /** How many occurrences of the job became due after this one; counting may stop at the policy's `maxRuns`. */
  readonly laterDue: number;
}

/**
 * Which misfires of one job still start, late, and which are given up as missed. An occurrence is started only while it is
 * among the newest `maxRuns` that are due (one, for `latest`) and not older than `maxAgeMs`. Both are counted from the
 * schedule, not from what happens to lie in the table, so an old backup that is restored floods nobody.
 *
 * @param policy default: nothing starts late
 * @param now epoch milliseconds
 */
export function planCatchUp<Misfire extends MisfiredOccurrence>(
  misfires: readonly Misfire[],
  { policy, maxAgeMs, maxRuns, harmfulWhenLate }: CatchUpPolicy = NO_CATCH_UP,
  now: number,
): { readonly start: readonly Misfire[]; readonly giveUp: readonly Misfire[] } {
  const newest = policy === 'none' || harmfulWhenLate === true ? 0 : policy === 'latest' ? 1 : maxRuns;
  const starts = (one: Misfire) => one.laterDue < newest && now - one.scheduledTime <= maxAgeMs;
  return { start: misfires.filter(starts), giveUp: misfires.filter((one) => !starts(one)) };
}
