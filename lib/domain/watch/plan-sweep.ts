import { type OccurrenceKey, occurrenceId } from '../contract/occurrence-key.ts';
import type { Trigger } from '../job.ts';
import { isDead, isFinished, type RunRecord } from '../run/run-record.ts';
import { isAskedFor, turnsToStart } from './adopt-requested.ts';
import type { WatchedJob } from './due.ts';
import type { JobSignal } from './incident.ts';
import { isPausedNow, type JobState, type JobTiming } from './job-state.ts';
import type { MissCause } from './plan-cause.ts';
import { planDelivery } from './plan-delivery.ts';
import { type Misfire, planMisfires } from './plan-misfires.ts';
import { signalsOf } from './plan-telling.ts';
import { isQueued, mayBeSlow, planTiming, type TimingFinding } from './plan-timing.ts';
import type { OpenOccurrence } from './watch-state.ts';

export type SweepAction =
  /** The occurrence did not start in time: give it its one disposition. */
  | {
      readonly type: 'recordMissed';
      readonly key: OccurrenceKey;
      readonly cause: MissCause;
      readonly detail?: string;
      /** The command that begins to put it right. */
      readonly fix?: string;
    }
  /** It is not to be carried out, and that is right. */
  | {
      readonly type: 'recordSkipped';
      readonly key: OccurrenceKey;
      readonly cause: 'paused' | 'gap' | 'stale' | 'excluded' | 'superseded';
      readonly trigger: Trigger;
    }
  /** It did not start in time, and its policy lets it start late. */
  | { readonly type: 'catchUp'; readonly key: OccurrenceKey }
  /** It is due, and EventBridge Scheduler does not fire it: a wall time in a gap, or the second pass of an hour. */
  | { readonly type: 'supplement'; readonly key: OccurrenceKey }
  /** A run lost its owner, or waits for an attempt that is due: deliver the same occurrence again, through the same claim. */
  | {
      readonly type: 'redeliver';
      readonly key: OccurrenceKey;
      readonly trigger: Trigger;
      readonly reason: 'dead' | 'retryDue';
    }
  /** No attempt is left and nobody closed the run: give it its outcome. */
  | { readonly type: 'closeExhausted'; readonly run: RunRecord }
  /** It has attempts left, but its function never takes it up. */
  | { readonly type: 'closeUndeliverable'; readonly run: RunRecord }
  | { readonly type: 'endPause'; readonly job: string; readonly until: number };

/** Late starts in one sweep, over all jobs: what an outage left behind must not become a flood. The rest waits its turn. */
export const MAX_CATCH_UPS_PER_SWEEP = 100;

/** For so long EventBridge Scheduler tries to deliver a firing. */
const LONGEST_DELIVERY_MS = 3_600_000;

export interface SweepInput {
  /** Epoch milliseconds. */
  readonly now: number;
  /** What to look at: occurrences that became due, and those left open by the sweep before. */
  readonly occurrences: readonly OpenOccurrence[];
  /** Run records by `occurrenceId`. */
  readonly runs: ReadonlyMap<string, RunRecord>;
  /** The jobs that are declared and fire, by name. */
  readonly jobs: ReadonlyMap<string, WatchedJob>;
  /** Names of jobs that do not fire but can be delivered to: they are disabled. */
  readonly disabled?: ReadonlySet<string>;
  /** States by job; those of `jobsInQuestion` must be there if they exist. */
  readonly states: ReadonlyMap<string, JobState>;
}

export interface SweepPlan {
  readonly actions: readonly SweepAction[];
  /** What the next sweep must look at again. */
  readonly open: readonly OpenOccurrence[];
  readonly findings: readonly TimingFinding[];
  /** What the occurrences say about their jobs. */
  readonly signals: readonly JobSignal[];
  /** Averages that runs taught, by job. */
  readonly timings: ReadonlyMap<string, JobTiming>;
}

interface Case {
  readonly occurrence: OpenOccurrence;
  readonly run: RunRecord | undefined;
}

/** The jobs whose state decides something in this sweep: one may be paused, or a run of theirs be slow. */
export function jobsInQuestion({ now, occurrences, runs }: Omit<SweepInput, 'states' | 'jobs'>): {
  readonly paused: readonly string[];
  readonly timing: readonly string[];
} {
  const paused = new Set<string>();
  const timing = new Set<string>();
  for (const one of occurrences) {
    const { occurrence, run } = caseOf(one, runs);
    const mayBePaused =
      run === undefined
        ? !occurrence.adopted && now >= occurrence.startBy
        : isWaiting(run, now) || run.cause === 'paused' || (isQueued(run) && now >= occurrence.startBy);
    if (mayBePaused) paused.add(occurrence.job);
    if (run !== undefined && mayBeSlow(run)) timing.add(occurrence.job);
  }
  return { paused: [...paused], timing: [...timing] };
}

/**
 * Decides what a sweep does about each occurrence. The watchdog only delivers: it never writes the state of a run that
 * has attempts left and takes them, so it may race the scheduler and another watchdog without harm.
 */
export function planSweep(input: SweepInput): SweepPlan {
  const { now } = input;
  const actions: SweepAction[] = [];
  const open: OpenOccurrence[] = [];
  const findings: TimingFinding[] = [];
  const signals: JobSignal[] = [];
  const timings = new Map<string, JobTiming>();
  const misfires = new Map<string, Misfire[]>();
  const misfiresOf = (job: string): Misfire[] => {
    const ofJob = misfires.get(job) ?? [];
    misfires.set(job, ofJob);
    return ofJob;
  };
  const busy = new Set<string>();
  const turns = turnsToStart(
    input.occurrences.map((one) => caseOf(one, input.runs).run),
    input.jobs,
    now,
  );

  for (const one of input.occurrences) {
    const { occurrence: found, run } = caseOf(one, input.runs);
    if (found.adopted && run === undefined) {
      if (now < found.scheduledTime + LONGEST_DELIVERY_MS) open.push(found);
      continue;
    }
    const state = input.states.get(found.job);
    const isPaused = isPausedNow(state, now);
    const isUntimed = (isPaused && run === undefined) || isAskedFor(run);
    const job = isUntimed ? undefined : input.jobs.get(found.job)?.entry;
    const timing = planTiming(found, run, job, timings.get(found.job) ?? state?.timing, { now, isPaused });
    findings.push(...timing.findings);
    if (timing.timing !== undefined) timings.set(found.job, timing.timing);
    const { occurrence, isPending } = timing;
    if (run !== undefined && startedInTime(run, occurrence)) signals.push({ ...keyOf(occurrence), kind: 'started' });

    if (run === undefined) {
      if (now < occurrence.startBy) open.push(occurrence);
      else misfiresOf(occurrence.job).push({ occurrence, isPending });
    } else if (isFinished(run)) {
      const remarks = occurrence.remarks ?? [];
      if (isSignal(run.status) && !remarks.includes('ended')) signals.push({ ...keyOf(occurrence), kind: run.status });
      if (isPending) open.push({ ...occurrence, remarks: [...new Set([...remarks, 'ended' as const])] });
    } else {
      busy.add(occurrence.job);
      const plan = aboutUnfinished(run, occurrence, input, turns);
      actions.push(...plan.actions);
      open.push(plan.occurrence);
    }
  }

  let room = MAX_CATCH_UPS_PER_SWEEP;
  for (const [job, ofJob] of misfires) {
    const plan = planMisfires(job, ofJob, busy.has(job), room, input);
    actions.push(...plan.actions);
    open.push(...plan.open);
    findings.push(...plan.findings);
    signals.push(...plan.missed);
    room -= plan.actions.filter(({ type }) => type === 'catchUp').length;
  }
  // What a job did under its former name is told of under the one it has.
  const heirs = new Map(
    input.occurrences.flatMap(({ job, formerName }) => (formerName === undefined ? [] : [[formerName, job] as const])),
  );
  const told = [...signals, ...signalsOf(findings)].map((one) => ({ ...one, job: heirs.get(one.job) ?? one.job }));
  return { actions, open, findings, signals: told, timings };
}

/** It was fired by its schedule, and taken up before it was late. */
function startedInTime(run: RunRecord, { startBy }: OpenOccurrence): boolean {
  if (run.trigger !== 'schedule') return false;
  if (run.status === 'skipped') return run.cause === 'overlap' && (run.updatedAt ?? startBy) < startBy;
  return run.claimedAt !== undefined && run.claimedAt < startBy;
}

/** A miss is told of when it is found. */
function isSignal(status: RunRecord['status']): status is 'succeeded' | 'failed' | 'timedOut' {
  return status === 'succeeded' || status === 'failed' || status === 'timedOut';
}

/** An occurrence from before a renaming belongs to the old name if it has a run there. */
function caseOf(occurrence: OpenOccurrence, runs: SweepInput['runs']): Case {
  const run = runs.get(occurrenceId(occurrence));
  const { formerName } = occurrence;
  if (run !== undefined || formerName === undefined) return { occurrence, run };
  const former = runs.get(occurrenceId({ job: formerName, scheduledTime: occurrence.scheduledTime }));
  if (former === undefined) return { occurrence, run };
  const { formerName: _, ...rest } = occurrence;
  return { occurrence: { ...rest, job: formerName }, run: former };
}

function isWaiting(run: RunRecord, now: number): boolean {
  return isDead(run, now) || (run.status === 'pending' && (run.nextAttemptAt ?? 0) <= now);
}

function aboutUnfinished(
  run: RunRecord,
  occurrence: OpenOccurrence,
  { now, jobs, disabled, states }: SweepInput,
  turns: ReadonlyMap<string, number>,
): { readonly actions: SweepAction[]; readonly occurrence: OpenOccurrence } {
  const stay = { actions: [], occurrence };
  const key = keyOf(occurrence);
  const isQueued = run.status === 'pending' && run.attempts === 0;
  const harmful = jobs.get(occurrence.job)?.entry.catchUp?.harmfulWhenLate === true;
  if (isQueued && harmful && now >= occurrence.startBy && run.trigger === 'schedule') {
    return { actions: [{ type: 'recordSkipped', key, cause: 'stale', trigger: run.trigger }], occurrence };
  }
  if (!isWaiting(run, now)) return stay;
  if (run.attempts >= occurrence.maxAttempts) return { actions: [{ type: 'closeExhausted', run }], occurrence };
  const isAsked = isAskedFor(run);
  // Nothing would take it up: it waits until the job is resumed, or until it is its turn.
  if (isPausedNow(states.get(occurrence.job), now) && !isAsked) return stay;
  if (isAsked && run.fencingToken === 0 && turns.get(run.job) !== run.scheduledTime && turns.has(run.job)) return stay;
  const plan = planDelivery(occurrence.deliveries, run.fencingToken, now);
  if (plan.action === 'giveUp') return { actions: [{ type: 'closeUndeliverable', run }], occurrence };
  const reason = run.status === 'running' ? 'dead' : 'retryDue';
  // A job that is gone has nobody to deliver to. What is left of its function may still end the run by itself.
  const isThere = jobs.has(occurrence.job) || disabled?.has(occurrence.job) === true;
  const delivers = plan.action === 'deliver' && isThere;
  return {
    actions: delivers ? [{ type: 'redeliver', key, trigger: run.trigger, reason }] : [],
    occurrence: { ...occurrence, deliveries: plan.deliveries },
  };
}

function keyOf({ job, scheduledTime }: OccurrenceKey): OccurrenceKey {
  return { job, scheduledTime };
}
