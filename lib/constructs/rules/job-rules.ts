import { BelfryError } from '../../domain/errors.ts';
import { dstNotes } from './dst-notes.ts';
import type { JobRule, JobUnderRules } from './job-rule.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const SHORTEST_TIMEOUT = 10 * SECOND;
const LONGEST_TIMEOUT = 15 * MINUTE;

export const JOB_RULES: readonly JobRule[] = [
  {
    code: 'TimeoutTooLong',
    severity: 'error',
    summary: 'A Lambda invocation ends after 15 minutes at the latest.',
    check: ({ definition: { timeoutMs } }) =>
      timeoutMs > LONGEST_TIMEOUT
        ? `timeout is ${spell(timeoutMs)}, allowed are at most 15 minutes: split the work over several runs, or hand it to something that may run longer`
        : undefined,
  },
  {
    code: 'TimeoutTooShort',
    severity: 'error',
    summary:
      'An attempt does not start with less than five seconds left, and the handler is told to stop three before the end.',
    check: ({ definition: { timeoutMs } }) =>
      timeoutMs < SHORTEST_TIMEOUT
        ? `timeout is ${spell(timeoutMs)}, allowed are at least 10 seconds: a shorter one leaves the handler no time beside claiming and recording the run`
        : undefined,
  },
  {
    code: 'TimeoutAboveFleet',
    severity: 'error',
    summary: "A job of a fleet runs in the fleet's function, which ends at the fleet's timeout.",
    check: ({ definition: { timeoutMs }, fleetTimeoutMs }) =>
      fleetTimeoutMs !== undefined && timeoutMs > fleetTimeoutMs
        ? `timeout is ${spell(timeoutMs)}, above that of its fleet, ${spell(fleetTimeoutMs)}: lower the one or raise the other`
        : undefined,
  },
  {
    code: 'TooFewAttempts',
    severity: 'error',
    summary: 'maxAttempts counts the first attempt.',
    check: ({ definition: { retry } }) =>
      retry.maxAttempts < 1 || !Number.isInteger(retry.maxAttempts)
        ? `retry.maxAttempts is ${retry.maxAttempts}, it must be a whole number of at least 1: the first attempt counts, so 1 means no retry`
        : undefined,
  },
  {
    code: 'RetryDelaysReversed',
    severity: 'error',
    summary: 'The first delay between attempts cannot be above the longest.',
    check: ({ definition: { retry } }) =>
      retry.initialDelayMs > retry.maxDelayMs
        ? `retry.initialDelay is ${spell(retry.initialDelayMs)}, above retry.maxDelay, ${spell(retry.maxDelayMs)}: lower the one or raise the other`
        : undefined,
  },
  {
    code: 'CatchUpWithoutRuns',
    severity: 'error',
    summary: 'A catch-up that may start nothing is policy none.',
    check: ({ definition: { catchUp } }) =>
      catchUp !== undefined && catchUp.policy !== 'none' && !(Number.isInteger(catchUp.maxRuns) && catchUp.maxRuns >= 1)
        ? `catchUp.maxRuns is ${catchUp.maxRuns}, it must be a whole number of at least 1: choose policy 'none' if nothing is to start late`
        : undefined,
  },
  {
    code: 'FunctionNameTooLong',
    severity: 'error',
    summary: "A job's function is named prefix-job, and Lambda allows 64 characters.",
    check: ({ functionName }) =>
      functionName.length > 64
        ? `its function would be named '${functionName}', ${functionName.length} characters of 64 allowed: give the scheduler a shorter functionNamePrefix`
        : undefined,
  },
  {
    code: 'ReservedVariable',
    severity: 'error',
    summary: 'Environment variables that start with BELFRY_ or AWS_ belong to the runtime and to Lambda.',
    check: ({ options: { environment } }) => {
      const taken = Object.keys(environment).filter((name) => /^(BELFRY|AWS)_/.test(name));
      return taken.length > 0 ? `environment sets ${taken.join(', ')}: such names are taken, use others` : undefined;
    },
  },
  {
    code: 'NeverDue',
    severity: 'error',
    summary: 'A schedule without any occurrence after this synth is a mistake.',
    check: ({ definition, schedule, options, now }) =>
      options.enabled && schedule.next(now) === undefined
        ? `schedule '${[definition.schedule].flat().join("', '")}' has no occurrence after ${new Date(now).toISOString()}: correct it, or declare the job with enabled: false`
        : undefined,
  },
  {
    code: 'IntervalShorterThanTimeout',
    severity: 'warning',
    summary: 'With overlap allow, a job whose interval is below its timeout can run many times at once.',
    check: ({ definition, schedule, now }) => {
      if (definition.overlap !== 'allow') return undefined;
      const interval = shortestInterval(schedule.between(now, now + 8 * 24 * 60 * MINUTE));
      return interval < definition.timeoutMs
        ? `it is due every ${spell(interval)} and may run ${spell(definition.timeoutMs)} with overlap 'allow', so runs can pile up: shorten the timeout, or choose overlap 'skip'`
        : undefined;
    },
  },
  {
    code: 'UnevenInterval',
    severity: 'warning',
    summary: 'EventBridge counts an interval that does not divide the day from a start that each deployment moves.',
    check: ({ awsSchedules }) =>
      awsSchedules.some(({ startAt }) => startAt !== undefined)
        ? `its interval does not divide the day, so EventBridge has to be told when to start, and starts again about 15 minutes after each deployment: what is due before then is left to the watchdog; prefer an interval like 5, 10 or 15 minutes`
        : undefined,
  },
  {
    code: 'ClockChange',
    severity: 'note',
    summary:
      'A wall time that falls in a DST gap or fold in the next 400 days behaves as the job chose, or as the defaults say.',
    check: dstNotes,
  },
];

/**
 * Applies the rules of severity `error`, in order.
 * @throws BelfryError named by the first rule that is broken
 */
export function assertJobRules(job: JobUnderRules): void {
  for (const rule of JOB_RULES) {
    if (rule.severity !== 'error') continue;
    const fault = rule.check(job);
    if (fault !== undefined) throw new BelfryError(rule.code, `job '${job.name}': ${fault}`);
  }
}

/** What the other rules have to say. */
export function adviseJob(job: JobUnderRules): { readonly rule: JobRule; readonly message: string }[] {
  return JOB_RULES.filter((rule) => rule.severity !== 'error').flatMap((rule) => {
    const message = rule.check(job);
    return message === undefined ? [] : [{ rule, message: `job '${job.name}': ${message}` }];
  });
}

/** Of the next occurrences, not all: a week of a minute's schedule is plenty. */
function shortestInterval(occurrences: Iterable<number>): number {
  let shortest = Number.POSITIVE_INFINITY;
  let before: number | undefined;
  let seen = 0;
  for (const occurrence of occurrences) {
    if (before !== undefined) shortest = Math.min(shortest, occurrence - before);
    before = occurrence;
    seen += 1;
    if (seen > 200) break;
  }
  return shortest;
}

function spell(ms: number): string {
  if (ms % (60 * MINUTE) === 0) return plural(ms / (60 * MINUTE), 'hour');
  if (ms % MINUTE === 0) return plural(ms / MINUTE, 'minute');
  return plural(ms / SECOND, 'second');
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
