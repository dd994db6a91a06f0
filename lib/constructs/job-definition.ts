import { createHash } from 'node:crypto';
import type { JobDefinition } from '../domain/job.ts';
import type { ResolvedJobOptions } from './job-options.ts';

export interface WhenDue {
  /**
   * Unix five fields, a macro, `@every 5m`, `cron()`/`rate()`/`at()`, or a list of these (their union). Too often, and each
   * firing is billed and runs overlap; too rarely, and an occurrence that is missed is missed for long.
   */
  readonly schedule: string | readonly string[];
  /**
   * IANA name of the zone whose wall clock the schedule is read on. `UTC` for what people do not see: in any other zone one
   * day has 23 hours and one has 25. A zone for what they see: in UTC it moves by an hour twice a year.
   */
  readonly timeZone: string;
}

export interface FormerName {
  /**
   * What the job was called before. An occurrence that is due while it is renamed is then neither lost nor carried out
   * twice. Can go when the next deployment is over. Left out, the job starts anew, with no memory of what it ran; with the
   * name of a job that goes on, both count as one for a while.
   *
   * @default - it always had this name
   */
  readonly renamedFrom?: string;
}

/** The job as the runtime and the watchdog read it. */
export function defineJobOf(name: string, when: WhenDue & FormerName, options: ResolvedJobOptions): JobDefinition {
  return {
    name,
    schedule: when.schedule,
    timeZone: when.timeZone,
    dst: options.dst,
    timeoutMs: options.timeout.toMilliseconds(),
    retry: {
      maxAttempts: options.retry.maxAttempts,
      backoff: options.retry.backoff,
      initialDelayMs: options.retry.initialDelay.toMilliseconds(),
      maxDelayMs: options.retry.maxDelay.toMilliseconds(),
    },
    overlap: options.overlap,
    startGraceMs: options.startGrace.toMilliseconds(),
    catchUp: {
      policy: options.catchUp.policy,
      maxAgeMs: options.catchUp.maxAge.toMilliseconds(),
      maxRuns: options.catchUp.maxRuns,
      ...(options.catchUp.harmfulWhenLate ? { harmfulWhenLate: true } : {}),
    },
    lease: options.lease,
    onTimeout: options.onTimeout,
    ...(options.pausable ? { pausable: true } : {}),
    continuation: options.continuation,
    maxSegments: options.maxSegments,
    ...(options.expectedDuration === undefined
      ? {}
      : { expectedDurationMs: options.expectedDuration.toMilliseconds() }),
    ...(options.minimumDuration === undefined ? {} : { minimumDurationMs: options.minimumDuration.toMilliseconds() }),
    ...(options.metrics === 'failures' ? {} : { metrics: options.metrics }),
    ...(when.renamedFrom === undefined ? {} : { renamedFrom: when.renamedFrom }),
    revision: revisionOf(when, options),
  };
}

/** Changes exactly when something changes that decides when the job is due. */
function revisionOf(when: WhenDue, options: ResolvedJobOptions): string {
  const { gap, fold } = options.dst;
  const decisive = JSON.stringify([[when.schedule].flat(), when.timeZone, gap, fold]);
  return createHash('sha256').update(decisive).digest('hex').slice(0, 12);
}
