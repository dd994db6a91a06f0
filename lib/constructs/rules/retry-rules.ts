import type { JobRule } from './job-rule.ts';
import { shortestInterval } from './shortest-interval.ts';
import { spellDuration } from './spell-duration.ts';

export const RETRY_RULES: readonly JobRule[] = [
  {
    code: 'TooFewAttempts',
    severity: 'error',
    check: ({ definition: { retry } }) =>
      retry.maxAttempts < 1 || !Number.isInteger(retry.maxAttempts)
        ? `retry.maxAttempts is ${retry.maxAttempts}, it must be a whole number of at least 1: the first attempt counts, so 1 means no retry`
        : undefined,
  },
  {
    code: 'RetryDelaysReversed',
    severity: 'error',
    check: ({ definition: { retry } }) =>
      retry.initialDelayMs > retry.maxDelayMs
        ? `retry.initialDelay is ${spellDuration(retry.initialDelayMs)}, above retry.maxDelay, ${spellDuration(retry.maxDelayMs)}: lower the one or raise the other`
        : undefined,
  },
  {
    code: 'CatchUpWithoutRuns',
    severity: 'error',
    check: ({ definition: { catchUp } }) =>
      catchUp !== undefined && catchUp.policy !== 'none' && !(Number.isInteger(catchUp.maxRuns) && catchUp.maxRuns >= 1)
        ? `catchUp.maxRuns is ${catchUp.maxRuns}, it must be a whole number of at least 1: choose policy 'none' if nothing is to start late`
        : undefined,
  },
  {
    code: 'CatchUpOfOne',
    severity: 'warning',
    check: ({ definition: { catchUp } }) =>
      catchUp?.policy === 'latest' && catchUp.maxRuns > 1
        ? `catchUp.maxRuns is ${catchUp.maxRuns}, but policy 'latest' starts one: choose 'all', or leave maxRuns out`
        : undefined,
  },
  {
    code: 'CatchUpTooYoung',
    severity: 'warning',
    check: ({ definition: { catchUp, startGraceMs } }) =>
      catchUp !== undefined && catchUp.policy !== 'none' && catchUp.maxAgeMs <= startGraceMs
        ? `catchUp.maxAge is ${spellDuration(catchUp.maxAgeMs)}, but nothing is caught up before startGrace, ${spellDuration(startGraceMs)}, is over: raise maxAge, or choose policy 'none'`
        : undefined,
  },
  {
    code: 'IntervalShorterThanTimeout',
    severity: 'warning',
    check: ({ definition, schedule, now }) => {
      if (definition.overlap !== 'allow') return undefined;
      const interval = shortestInterval(schedule, now);
      return interval < definition.timeoutMs
        ? `it is due every ${spellDuration(interval)} and may run ${spellDuration(definition.timeoutMs)} with overlap 'allow', so runs can pile up: shorten the timeout, or choose overlap 'skip'`
        : undefined;
    },
  },
  {
    code: 'RetriesOutlastInterval',
    severity: 'warning',
    check: ({ definition: { overlap, retry }, schedule, now }) => {
      if (overlap !== 'skip' || retry.maxAttempts === 1) return undefined;
      const delays = longestDelays(retry);
      const interval = shortestInterval(schedule, now);
      return delays > interval
        ? `its retries may wait ${spellDuration(delays)} in all, and it is due every ${spellDuration(interval)} with overlap 'skip', so a failing run keeps the next ones from starting: retry sooner or less often, or choose overlap 'allow'`
        : undefined;
    },
  },
];

function longestDelays({
  maxAttempts,
  backoff,
  initialDelayMs,
  maxDelayMs,
}: {
  readonly maxAttempts: number;
  readonly backoff: string;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
}): number {
  let total = 0;
  for (let attempt = 1; attempt < Math.min(maxAttempts, 1_000); attempt++) {
    const factor = backoff === 'fixed' ? 1 : backoff === 'linear' ? attempt : 2 ** (attempt - 1);
    total += Math.min(maxDelayMs, initialDelayMs * factor);
  }
  return total;
}
