import type { OccurrenceKey } from '../contract/occurrence-key.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { Outlook } from './incident.ts';
import { type JobTiming, learnTiming, slowAboveMs } from './job-state.ts';
import type { OpenOccurrence, Remark, RosterEntry } from './watch-state.ts';

export interface TimingFinding {
  /**
   * `late`: began after startGrace and a minute, or has not begun by then. `overdue`: no success by scheduledTime + expectedDuration + 5 minutes. `tooFast`:
   * succeeded in less than minimumDuration. `slow`: is known to have worked more than twice as long as usual. `stuck`:
   * says the same of its progress as five minutes before. `tooOften`: ran at an instant at which the job is not due.
   * `excluded`: due, and excluded under a definition that no longer holds, so it cannot start.
   */
  readonly kind: Exclude<Remark, 'ended'> | 'tooFast' | 'tooOften' | 'excluded';
  readonly key: OccurrenceKey;
  /** What was seen, milliseconds; for `stuck` how long the progress stood still. */
  readonly observedMs: number;
  /** What was allowed, milliseconds. */
  readonly limitMs: number;
  /** Of one that is late: what becomes of it. */
  readonly outlook?: Outlook;
}

export interface TimingPlan {
  readonly findings: readonly TimingFinding[];
  /** The occurrence with what was now said about it. */
  readonly occurrence: OpenOccurrence;
  /** The average, when this run taught something. */
  readonly timing?: JobTiming;
  /** Not over: whether it is overdue is still to be seen. */
  readonly isPending: boolean;
}

const OVERDUE_ALLOWANCE_MS = 5 * 60_000;
const STUCK_MS = 5 * 60_000;
/** Averages of fewer runs say little. */
const ENOUGH_SAMPLES = 5;

/** What there is to say about the timing of one occurrence. Each thing is said once. */
export function planTiming(
  occurrence: OpenOccurrence,
  run: RunRecord | undefined,
  job: RosterEntry | undefined,
  timing: JobTiming | undefined,
  { now, isPaused = false }: { readonly now: number; readonly isPaused?: boolean },
): TimingPlan {
  const { scheduledTime, startBy } = occurrence;
  const key = { job: occurrence.job, scheduledTime };
  const findings: TimingFinding[] = [];
  const remarks = new Set(occurrence.remarks);
  const say = (kind: TimingFinding['kind'], observedMs: number, limitMs: number, outlook?: Outlook) => {
    if (kind !== 'tooFast' && kind !== 'tooOften' && kind !== 'excluded') {
      if (remarks.has(kind)) return;
      remarks.add(kind);
    }
    findings.push({ kind, key, observedMs, limitMs, ...(outlook === undefined ? {} : { outlook }) });
  };

  const begun = run?.claimedAt;
  if (begun !== undefined && run?.trigger === 'schedule' && begun >= startBy) {
    say('late', begun - scheduledTime, startBy - scheduledTime, 'began');
  }
  if (!isPaused && isQueued(run) && run?.trigger === 'schedule' && now >= startBy) {
    const outlook = job?.catchUp?.harmfulWhenLate === true ? 'stale' : 'waits';
    say('late', now - scheduledTime, startBy - scheduledTime, outlook);
  }

  if (run?.status === 'skipped' && run.cause === 'excluded' && !occurrence.adopted) {
    say('excluded', now - scheduledTime, startBy - scheduledTime);
  }

  const isOut = run?.status === 'succeeded' || run?.status === 'skipped' || occurrence.gap === true;
  const overdueAt =
    job?.expectedDurationMs === undefined ? undefined : scheduledTime + job.expectedDurationMs + OVERDUE_ALLOWANCE_MS;
  if (overdueAt !== undefined && !isOut && now >= overdueAt)
    say('overdue', now - scheduledTime, overdueAt - scheduledTime);

  let learned: JobTiming | undefined;
  const tookMs = workedOf(run);
  if (tookMs !== undefined) {
    const done = run?.status === 'succeeded';
    if (done && job?.minimumDurationMs !== undefined && tookMs < job.minimumDurationMs) {
      say('tooFast', tookMs, job.minimumDurationMs);
    }
    const limitMs =
      timing !== undefined && timing.samples >= ENOUGH_SAMPLES
        ? slowAboveMs(timing.averageMs)
        : Number.POSITIVE_INFINITY;
    if (tookMs > limitMs) say('slow', tookMs, limitMs);
    if (done) learned = learnTiming(timing, tookMs);
  }

  const progress = progressOf(occurrence, run);
  const unchangedMs = (run?.updatedAt ?? 0) - (progress?.since ?? Number.POSITIVE_INFINITY);
  if (unchangedMs >= STUCK_MS) say('stuck', unchangedMs, STUCK_MS);

  const { remarks: _said, progress: _before, ...rest } = occurrence;
  return {
    findings,
    occurrence: {
      ...rest,
      ...(remarks.size > 0 ? { remarks: [...remarks] } : {}),
      ...(progress === undefined ? {} : { progress }),
    },
    ...(learned === undefined ? {} : { timing: learned }),
    isPending: overdueAt !== undefined && !isOut && !remarks.has('overdue'),
  };
}

/** It was delivered, and waits for its turn: nothing of it has begun. */
export function isQueued(run: RunRecord | undefined): boolean {
  return run?.status === 'pending' && run.fencingToken === 0;
}

/**
 * Whether how long the run worked may be worth comparing with the usual. What several attempts took says nothing about
 * one; and who closes a run in place of its attempt says so with a cause.
 */
export function mayBeSlow({ status, attempts, segments = 0, cause }: RunRecord): boolean {
  if (attempts !== 1 || segments > 0) return false;
  return status === 'failed' ? cause === undefined : status !== 'skipped' && status !== 'missed';
}

/**
 * How long a run is known to have worked: up to the last thing that its attempt wrote, a renewed lease, a saved step, its
 * end. What passes after that under the lease is nobody's work: the process may have been killed, which is known once the
 * lease is over and is no slowness.
 */
function workedOf(run: RunRecord | undefined): number | undefined {
  if (run?.claimedAt === undefined || run.updatedAt === undefined || !mayBeSlow(run)) return undefined;
  return run.updatedAt - run.claimedAt;
}

function progressOf(occurrence: OpenOccurrence, run: RunRecord | undefined): OpenOccurrence['progress'] {
  if (run?.status !== 'running' || run.progress === undefined || run.updatedAt === undefined) return undefined;
  return occurrence.progress?.said === run.progress
    ? occurrence.progress
    : { said: run.progress, since: run.updatedAt };
}
