import type { CatchUpPolicy, Trigger } from '../job.ts';
import { isDead, isFinished, type RunRecord } from '../run/run-record.ts';
import { type OccurrenceKey, occurrenceId } from './occurrence-key.ts';
import { planCatchUp } from './plan-catch-up.ts';
import type { OpenOccurrence } from './watch-state.ts';

export type SweepAction =
  /** The occurrence did not start in time: give it its one disposition. */
  | { readonly type: 'recordMissed'; readonly key: OccurrenceKey; readonly cause: string }
  /** It did not start in time, and its policy lets it start late. */
  | { readonly type: 'catchUp'; readonly key: OccurrenceKey }
  /** A run lost its owner, or waits for an attempt that is due: deliver the same occurrence again, through the same claim. */
  | {
      readonly type: 'redeliver';
      readonly key: OccurrenceKey;
      readonly trigger: Trigger;
      readonly reason: 'dead' | 'retryDue';
    }
  /** No attempt is left and nobody closed the run: give it its outcome. */
  | { readonly type: 'closeExhausted'; readonly run: RunRecord };

/** Late starts in one sweep, over all jobs: what an outage left behind must not become a flood. The rest waits its turn. */
export const MAX_CATCH_UPS_PER_SWEEP = 100;

const NO_CATCH_UP: CatchUpPolicy = { policy: 'none', maxAgeMs: 0, maxRuns: 0 };

export interface SweepInput {
  /** Epoch milliseconds. */
  readonly now: number;
  /** What to look at: occurrences that became due, and those left open by the sweep before. */
  readonly occurrences: readonly OpenOccurrence[];
  /** Run records by `occurrenceId`. */
  readonly runs: ReadonlyMap<string, RunRecord>;
  /** The policy in force; undefined for a job that is no longer declared. */
  readonly catchUpOf: (job: string) => CatchUpPolicy | undefined;
  /** How many occurrences of the job are due after this one; counting may stop at `limit`. */
  readonly laterDue: (key: OccurrenceKey, limit: number) => number;
}

export interface SweepPlan {
  readonly actions: readonly SweepAction[];
  /** What the next sweep must look at again. */
  readonly open: readonly OpenOccurrence[];
}

/**
 * Decides what a sweep does about each occurrence. The watchdog only delivers: it never writes the state of a run that
 * has attempts left, so it may race the scheduler and another watchdog without harm.
 */
export function planSweep(input: SweepInput): SweepPlan {
  const { now, occurrences, runs } = input;
  const actions: SweepAction[] = [];
  const open: OpenOccurrence[] = [];
  const misfires = new Map<string, OpenOccurrence[]>();
  for (const occurrence of occurrences) {
    const run = runs.get(occurrenceId(occurrence));
    if (run === undefined) {
      if (now < occurrence.startBy) open.push(occurrence);
      else misfires.set(occurrence.job, [...(misfires.get(occurrence.job) ?? []), occurrence]);
    } else if (!isFinished(run)) {
      open.push(occurrence);
      actions.push(...aboutUnfinished(run, occurrence, now));
    }
  }
  let room = MAX_CATCH_UPS_PER_SWEEP;
  for (const [job, occurrencesOfJob] of misfires) {
    const { start, giveUp } = aboutMisfires(job, occurrencesOfJob, input);
    open.push(...start);
    actions.push(...start.slice(0, room).map((one) => ({ type: 'catchUp', key: keyOf(one) }) as const));
    actions.push(...giveUp.map((one) => ({ type: 'recordMissed', key: keyOf(one), cause: 'unknown' }) as const));
    room = Math.max(0, room - start.length);
  }
  return { actions, open };
}

function aboutUnfinished(run: RunRecord, occurrence: OpenOccurrence, now: number): SweepAction[] {
  const dead = isDead(run, now);
  const retryDue = run.status === 'pending' && (run.nextAttemptAt ?? 0) <= now;
  if (!dead && !retryDue) return [];
  if (run.attempts >= occurrence.maxAttempts) return [{ type: 'closeExhausted', run }];
  return [{ type: 'redeliver', key: keyOf(occurrence), trigger: run.trigger, reason: dead ? 'dead' : 'retryDue' }];
}

function aboutMisfires(job: string, occurrences: readonly OpenOccurrence[], { now, catchUpOf, laterDue }: SweepInput) {
  const policy = catchUpOf(job) ?? NO_CATCH_UP;
  const misfires = occurrences
    .map((one) => ({ ...one, laterDue: policy.policy === 'none' ? 0 : laterDue(one, policy.maxRuns) }))
    .sort((a, b) => a.scheduledTime - b.scheduledTime);
  const { start, giveUp } = planCatchUp(misfires, policy, now);
  return { start: start.map(({ laterDue: _, ...one }) => one), giveUp };
}

function keyOf({ job, scheduledTime }: OccurrenceKey): OccurrenceKey {
  return { job, scheduledTime };
}
