import type { WatchdogRunStore } from '../../lib/domain/ports.ts';
import { DEFAULT_LEASE_TIMES, deadBefore } from '../../lib/domain/run/lease.ts';
import type { SweepAction } from '../../lib/domain/watch/plan-sweep.ts';
import type { JobInvoker, JobStateStore } from '../../lib/domain/watch/ports.ts';

export interface ActDependencies {
  readonly runStore: WatchdogRunStore;
  readonly jobStates: JobStateStore;
  readonly invoker: JobInvoker;
}

export interface ActReport {
  /** What was done, in no particular order; an action that somebody else forestalled is not in it. */
  readonly done: readonly SweepAction[];
  readonly failed: readonly { readonly action: SweepAction; readonly error: unknown }[];
}

/** Actions at a time: enough to be quick, few enough to stay within a small function's sockets. */
const CONCURRENCY = 32;

/** Rows written in one sweep: what an outage of everything leaves behind is recorded in slices, the oldest first. */
const MOST_RECORDS = 2_000;

/** What one sweep carries out of a plan, and what is left to the next. */
export function slice(actions: readonly SweepAction[]): {
  readonly actions: readonly SweepAction[];
  readonly postponed: readonly SweepAction[];
} {
  let records = 0;
  const isLater = (action: SweepAction) =>
    (action.type === 'recordMissed' || action.type === 'recordSkipped') && ++records > MOST_RECORDS;
  const postponed = actions.filter(isLater);
  const later = new Set(postponed);
  return { actions: postponed.length === 0 ? actions : actions.filter((one) => !later.has(one)), postponed };
}

/** Carries out the actions. One that fails does not keep the others from being tried. */
export async function act(
  dependencies: ActDependencies,
  actions: readonly SweepAction[],
  now: number,
): Promise<ActReport> {
  const done: SweepAction[] = [];
  const failed: { action: SweepAction; error: unknown }[] = [];
  const waiting = actions.values();
  const work = async () => {
    for (const action of waiting) {
      try {
        if (await perform(dependencies, action, now)) done.push(action);
      } catch (error) {
        failed.push({ action, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, actions.length) }, work));
  return { done, failed };
}

async function perform(dependencies: ActDependencies, action: SweepAction, now: number): Promise<boolean> {
  const { runStore, jobStates, invoker } = dependencies;
  switch (action.type) {
    case 'recordMissed':
      return runStore.recordMissed(action.key, action.cause, now);
    case 'recordSkipped': {
      const { key, cause, trigger } = action;
      return runStore.skip(key, { cause, trigger, evenIfQueued: cause === 'stale' }, now);
    }
    case 'closeExhausted':
      return runStore.closeExhausted(action.run, now);
    case 'closeUndeliverable': {
      const closing = { cause: 'undeliverable', deadBefore: deadBefore(now, DEFAULT_LEASE_TIMES) };
      return runStore.close(action.run, closing, now);
    }
    case 'endPause':
      return jobStates.endPause(action.job, action.until);
    case 'catchUp':
      await invoker.deliver({ ...action.key, trigger: 'catchUp' });
      return true;
    case 'supplement':
      await invoker.deliver({ ...action.key, trigger: 'schedule' });
      return true;
    case 'redeliver':
      await invoker.deliver({ ...action.key, trigger: action.trigger });
      return true;
  }
}
