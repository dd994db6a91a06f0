import type { OccurrenceKey } from '../contract/occurrence-key.ts';
import { countLaterDue, type WatchedJob } from './due.ts';
import type { JobSignal, Outlook } from './incident.ts';
import { isPausedNow } from './job-state.ts';
import { planCatchUp } from './plan-catch-up.ts';
import { planDelivery } from './plan-delivery.ts';
import type { SweepAction, SweepInput } from './plan-sweep.ts';
import type { TimingFinding } from './plan-timing.ts';
import type { OpenOccurrence } from './watch-state.ts';

/** An occurrence that should have started and has no run. */
export interface Misfire {
  readonly occurrence: OpenOccurrence;
  /** Missed, it must be looked at once more: it is not overdue yet. */
  readonly isPending: boolean;
}

interface MisfirePlan {
  readonly actions: readonly SweepAction[];
  readonly open: readonly OpenOccurrence[];
  readonly findings: readonly TimingFinding[];
  readonly missed: readonly JobSignal[];
}

/** What to do about the misfires of one job: start them late, in what order, or give them up. */
export function planMisfires(
  job: string,
  misfires: readonly Misfire[],
  isBusy: boolean,
  room: number,
  { now, jobs, states }: SweepInput,
): MisfirePlan {
  const actions: SweepAction[] = [];
  const open: OpenOccurrence[] = [];
  const findings: TimingFinding[] = [];
  const missed: JobSignal[] = [];
  const skip = (one: Misfire, cause: 'paused' | 'gap') =>
    actions.push({ type: 'recordSkipped', key: keyOf(one.occurrence), cause, trigger: 'schedule' });
  const miss = ({ occurrence, isPending }: Misfire) => {
    actions.push({ type: 'recordMissed', key: keyOf(occurrence), cause: 'unknown' });
    missed.push({ ...keyOf(occurrence), kind: 'late', outlook: 'missed', ...lateness(occurrence, now) });
    if (isPending) open.push(occurrence);
  };
  /** It is kept open, and said to be late the first time. */
  const keep = (occurrence: OpenOccurrence, outlook: Outlook) => {
    const { remarks = [] } = occurrence;
    if (remarks.includes('late')) return void open.push(occurrence);
    open.push({ ...occurrence, remarks: [...remarks, 'late'] });
    findings.push({ kind: 'late', key: keyOf(occurrence), outlook, ...lateness(occurrence, now) });
  };
  for (const one of misfires) if (one.occurrence.gap) skip(one, 'gap');
  const real = misfires.filter((one) => !one.occurrence.gap);
  if (isPausedNow(states.get(job), now)) {
    for (const one of real) skip(one, 'paused');
    return { actions, open, findings, missed };
  }

  const watched = jobs.get(job);
  const { start, giveUp } = planCatchUp(countedMisfires(real, watched, now), watched?.entry.catchUp, now);
  for (const one of giveUp) miss(one);
  // Runs that exclude each other start one after the other, the oldest first, or all but one would be skipped for overlap.
  let free = watched?.entry.overlap === 'allow' ? room : isBusy ? 0 : Math.min(1, room);
  for (const one of start) {
    const { occurrence } = one;
    const plan = planDelivery(occurrence.deliveries, 0, now);
    if (plan.action === 'giveUp') {
      miss(one);
    } else if (plan.action === 'wait') {
      keep({ ...occurrence, deliveries: plan.deliveries }, 'waits');
      free -= 1;
    } else if (free > 0) {
      actions.push({ type: 'catchUp', key: keyOf(occurrence) });
      keep({ ...occurrence, deliveries: plan.deliveries }, 'starts');
      free -= 1;
    } else {
      keep(occurrence, 'waits');
    }
  }
  return { actions, open, findings, missed };
}

function lateness({ scheduledTime, startBy }: OpenOccurrence, now: number) {
  return { observedMs: now - scheduledTime, limitMs: startBy - scheduledTime };
}

/** The oldest first, each with how many became due after it. */
function countedMisfires(misfires: readonly Misfire[], watched: WatchedJob | undefined, now: number) {
  const policy = watched?.entry.catchUp;
  const later = (scheduledTime: number) =>
    watched === undefined || policy === undefined || policy.policy === 'none'
      ? Number.POSITIVE_INFINITY
      : countLaterDue(watched, scheduledTime, now, policy.maxRuns);
  return misfires
    .map((one) => ({ ...one, scheduledTime: one.occurrence.scheduledTime }))
    .sort((a, b) => a.scheduledTime - b.scheduledTime)
    .map((one) => ({ ...one, laterDue: later(one.scheduledTime) }));
}

function keyOf({ job, scheduledTime }: OccurrenceKey): OccurrenceKey {
  return { job, scheduledTime };
}
