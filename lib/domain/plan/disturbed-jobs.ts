import type { Schedule } from '../schedule/schedule.ts';
import { scheduleOf } from './compare-occurrences.ts';
import type { JobPair, PlannedJob } from './deployment.ts';

/** How long a deployment is taken to last. */
export const DEPLOYMENT_MS = 10 * 60_000;
const LOOKED_AHEAD_MS = 24 * 3_600_000;

/** A job that is due or running while a deployment that begins now goes on. */
export interface DisturbedJob {
  readonly scheduler: string;
  /** As it is called now, before the deployment. */
  readonly job: string;
  /** Due within the deployment. Instants, epoch milliseconds. */
  readonly due: readonly number[];
  /** Due before, and not surely over: they began less than the expected duration, or else the timeout, ago. */
  readonly running: readonly number[];
  /** By when the last of them is over. */
  readonly overBy: number;
  /** What the deployment changes of the job; nothing: its runs are not touched. */
  readonly touches: readonly Touched[];
  /**
   * What becomes of an occurrence that does not start because its schedule or function is just being replaced:
   * `startsLate`: the watchdog starts it. `missed`: it is recorded as missed. `forgotten`: after the deployment it is none
   * any more, so nobody looks for it.
   */
  readonly ifNotStarted: 'startsLate' | 'missed' | 'forgotten';
}

export type Touched = 'removed' | 'renamed' | 'schedule' | 'function';

export function disturbedJobs(pairs: readonly JobPair[], now: number): readonly DisturbedJob[] {
  return pairs.flatMap((pair) => {
    const { before, after } = pair;
    const schedule = scheduleOf(before);
    if (before === undefined || schedule === undefined) return [];
    const lasts = lastsOf(before);
    const due = [...schedule.between(now, now + DEPLOYMENT_MS)];
    const running = [...schedule.between(now - lasts, now)];
    if (due.length + running.length === 0) return [];
    return [
      {
        scheduler: before.scheduler,
        job: before.definition.name,
        due,
        running,
        overBy: Math.max(...due, ...running) + lasts,
        touches: touchesOf(pair),
        ifNotStarted: ifNotStarted(after, due),
      } satisfies DisturbedJob,
    ];
  });
}

/**
 * The first instant of the next 24 hours from which a deployment meets no occurrence and no run of a job that it removes,
 * renames or reschedules. Undefined when there is none. A changed function is no reason to wait: what runs ends on the
 * old code.
 */
export function nextQuiet(pairs: readonly JobPair[], now: number): number | undefined {
  const touched = pairs.flatMap((pair) => {
    const schedule = scheduleOf(pair.before);
    const isReplaced = touchesOf(pair).some((what) => what !== 'function');
    return pair.before === undefined || schedule === undefined || !isReplaced
      ? []
      : [{ schedule, lasts: lastsOf(pair.before) }];
  });
  let quiet = now;
  for (let settled = false; !settled; ) {
    settled = true;
    for (const { schedule, lasts } of touched) {
      const until = busyUntil(schedule, lasts, quiet);
      if (until <= quiet) continue;
      if (until > now + LOOKED_AHEAD_MS) return undefined;
      quiet = until;
      settled = false;
    }
  }
  return quiet;
}

/** When the runs are over that a deployment at that instant would meet; the instant itself when it meets none. */
function busyUntil(schedule: Schedule, lasts: number, instant: number): number {
  const last = schedule.previous(instant + DEPLOYMENT_MS + 1);
  return last === undefined || last + lasts <= instant ? instant : last + lasts;
}

function lastsOf({ definition }: PlannedJob): number {
  return Math.max(definition.expectedDurationMs ?? definition.timeoutMs, 1);
}

function touchesOf({ before, after }: JobPair): readonly Touched[] {
  if (before === undefined) return [];
  if (after === undefined) return ['removed'];
  const isRescheduled =
    before.definition.revision !== after.definition.revision || before.isEnabled !== after.isEnabled;
  return [
    ...(before.definition.name === after.definition.name ? [] : ['renamed' as const]),
    ...(isRescheduled ? ['schedule' as const] : []),
    ...(before.functionDigest === after.functionDigest ? [] : ['function' as const]),
  ];
}

function ifNotStarted(after: PlannedJob | undefined, due: readonly number[]): DisturbedJob['ifNotStarted'] {
  const schedule = scheduleOf(after);
  if (after === undefined || schedule === undefined || due.some((at) => schedule.next(at - 1) !== at))
    return 'forgotten';
  const { policy = 'none', harmfulWhenLate = false } = after.definition.catchUp ?? {};
  return policy === 'none' || harmfulWhenLate ? 'missed' : 'startsLate';
}
