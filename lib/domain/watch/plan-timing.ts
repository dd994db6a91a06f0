import type { RunRecord } from '../run/run-record.ts';
import { isWorthSaving, type JobTiming, learnTiming } from './job-state.ts';
import type { OccurrenceKey } from './occurrence-key.ts';
import type { OpenOccurrence, Remark, RosterEntry } from './watch-state.ts';

export interface TimingFinding {
  /**
   * `lateStart`: began after startGrace. `overdue`: no success by scheduledTime + expectedDuration + 5 minutes. `tooFast`:
   * succeeded in less than minimumDuration. `slow`: takes more than twice the usual. `stuck`: says the same of its
   * progress as five minutes before. `tooOften`: ran at an instant at which the job is not due.
   */
  readonly kind: Exclude<Remark, 'ended'> | 'tooFast' | 'tooOften';
  readonly key: OccurrenceKey;
  /** What was seen, milliseconds; for `stuck` since when the progress stands still. */
  readonly observedMs: number;
  /** What was allowed, milliseconds. */
  readonly limitMs: number;
}

export interface TimingPlan {
  readonly findings: readonly TimingFinding[];
  /** The occurrence with what was now said about it. */
  readonly occurrence: OpenOccurrence;
  /** The average, when this run taught something worth a write. */
  readonly timing?: JobTiming;
  /** Not over: whether it is overdue is still to be seen. */
  readonly isPending: boolean;
}

const OVERDUE_ALLOWANCE_MS = 5 * 60_000;
const STUCK_MS = 5 * 60_000;
/** Averages of fewer runs say little, and differences of less than a second are the machine's. */
const ENOUGH_SAMPLES = 5;
const LEAST_DIFFERENCE_MS = 1_000;

/** What there is to say about the timing of one occurrence. Each thing is said once. */
export function planTiming(
  occurrence: OpenOccurrence,
  run: RunRecord | undefined,
  job: RosterEntry | undefined,
  timing: JobTiming | undefined,
  now: number,
): TimingPlan {
  const { scheduledTime, startBy } = occurrence;
  const key = { job: occurrence.job, scheduledTime };
  const findings: TimingFinding[] = [];
  const remarks = new Set(occurrence.remarks);
  const say = (kind: TimingFinding['kind'], observedMs: number, limitMs: number) => {
    if (kind !== 'tooFast' && kind !== 'tooOften') {
      if (remarks.has(kind)) return;
      remarks.add(kind);
    }
    findings.push({ kind, key, observedMs, limitMs });
  };

  const begun = run?.claimedAt;
  if (begun !== undefined && run?.trigger === 'schedule' && begun >= startBy) {
    say('lateStart', begun - scheduledTime, startBy - scheduledTime);
  }

  const isOut = run?.status === 'succeeded' || run?.status === 'skipped' || occurrence.gap === true;
  const overdueAt =
    job?.expectedDurationMs === undefined ? undefined : scheduledTime + job.expectedDurationMs + OVERDUE_ALLOWANCE_MS;
  if (overdueAt !== undefined && !isOut && now >= overdueAt)
    say('overdue', now - scheduledTime, overdueAt - scheduledTime);

  let learned: JobTiming | undefined;
  const tookMs = durationOf(run, now);
  if (tookMs !== undefined) {
    const done = run?.status === 'succeeded';
    if (done && job?.minimumDurationMs !== undefined && tookMs < job.minimumDurationMs) {
      say('tooFast', tookMs, job.minimumDurationMs);
    }
    const usual =
      timing !== undefined && timing.samples >= ENOUGH_SAMPLES ? timing.averageMs : Number.POSITIVE_INFINITY;
    if (tookMs > 2 * usual && tookMs - usual > LEAST_DIFFERENCE_MS) say('slow', tookMs, 2 * usual);
    if (done) {
      const next = learnTiming(timing, tookMs);
      if (isWorthSaving(timing, next)) learned = next;
    }
  }

  const progress = progressOf(occurrence, run, now);
  if (progress !== undefined && now - progress.since >= STUCK_MS) say('stuck', now - progress.since, STUCK_MS);

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

/** Of a run that works on its first attempt, or succeeded with it; what several attempts took says nothing about one. */
function durationOf(run: RunRecord | undefined, now: number): number | undefined {
  if (run?.claimedAt === undefined || run.attempts !== 1 || (run.segments ?? 0) > 0) return undefined;
  if (run.status === 'running') return now - run.claimedAt;
  return run.status === 'succeeded' && run.updatedAt !== undefined ? run.updatedAt - run.claimedAt : undefined;
}

function progressOf(occurrence: OpenOccurrence, run: RunRecord | undefined, now: number): OpenOccurrence['progress'] {
  if (run?.status !== 'running' || run.progress === undefined) return undefined;
  return occurrence.progress?.said === run.progress ? occurrence.progress : { said: run.progress, since: now };
}
