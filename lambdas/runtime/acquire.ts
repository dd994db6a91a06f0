import { BelfryError } from '../../lib/domain/errors.ts';
import type { OccurrenceEvent } from '../../lib/domain/occurrence-event.ts';
import type { ClaimAnswer } from '../../lib/domain/ports.ts';
import { DEFAULT_LEASE_TIMES, deadBefore, planLease } from '../../lib/domain/run/lease.ts';
import { isPaused, planOverlap, readsPause, succeededThrough } from '../../lib/domain/run/plan-overlap.ts';
import { type Claim, isFinished, type RunRecord, type TurnRecord } from '../../lib/domain/run/run-record.ts';
import type { InvocationContext, RuntimeDependencies } from './dependencies.ts';
import type { FreeTurn } from './turn-memory.ts';

/** Why a delivery started no attempt. */
export type Refusal =
  /** Another attempt holds the lease. */
  | 'busy'
  /** The next attempt is not due yet. */
  | 'early'
  | 'done'
  | 'exhausted'
  /** Waits for its turn. */
  | 'buffered'
  | 'skipped'
  | 'paused'
  /** The schedule fires more often than the job is due. */
  | 'notDue'
  | 'tooOld'
  | 'superseded';

export type Acquisition =
  | {
      readonly claim: Claim;
      /** Up to where earlier runs have succeeded. */
      readonly windowFrom?: number;
    }
  | {
      readonly refusal: Refusal;
      readonly cause?: string;
      /** The run's record, where it was seen. */
      readonly run?: RunRecord;
      /** When another delivery may find more. */
      readonly wakeAt?: number;
    };

export interface Acquiring {
  readonly dependencies: RuntimeDependencies;
  readonly event: OccurrenceEvent;
  readonly context: InvocationContext;
  readonly claimToken: string;
}

/** How often the decision is made anew when others moved in between. */
const MOST_ROUNDS = 12;
/** While a cancelled attempt winds up: how often to look, and how long in one invocation. */
const LOOK_AGAIN_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Claims the run, after whatever the overlap policy asks for. */
export async function acquire(acquiring: Acquiring): Promise<Acquisition> {
  if (!readsPause(acquiring.dependencies.job)) return refusalOf(acquiring, await claim(acquiring));
  const waitUntil = acquiring.dependencies.clock.now() + LONGEST_WAIT_MS;
  const free = rememberedTurn(acquiring);
  const acquisition = free === undefined ? undefined : await acquireUnread(acquiring, free);
  if (acquisition !== undefined) return acquisition;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const acquisition = await acquireInTurn(acquiring, waitUntil);
    if (acquisition !== undefined) return acquisition;
  }
  throw new BelfryError(
    'TurnUnsettled',
    `job '${acquiring.event.job}' could not get its turn: others changed it ${MOST_ROUNDS} times in between; the event is delivered again`,
  );
}

/** One round. Undefined: the situation changed meanwhile, decide anew. */
async function acquireInTurn(acquiring: Acquiring, waitUntil: number): Promise<Acquisition | undefined> {
  const { dependencies, event } = acquiring;
  const { store } = dependencies;
  const { marginMs } = dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES;
  const { plan, turn, holder, now } = await look(acquiring);
  const { trigger } = event;
  switch (plan.action) {
    case 'proceed':
      return claimInTurn(acquiring, turn, holder);
    case 'skip': {
      const { cause } = plan;
      if (cause === 'paused') await noteSuccess(acquiring, turn, holder);
      const skipped = await store.skip(event, { cause, trigger, evenIfQueued: cause !== 'paused' }, now);
      if (skipped) return { refusal: 'skipped', cause };
      return notSkipped(acquiring, turn, holder);
    }
    case 'buffer':
      if (!(await store.buffer(event, turn, now))) return undefined;
      await store.queue(event, { nextAttemptAt: now, trigger }, now);
      return { refusal: 'buffered', ...wakeAfter(holder, marginMs) };
    case 'queue':
      await store.queue(event, { nextAttemptAt: now, trigger }, now);
      return { refusal: 'buffered', ...wakeAfter(holder, marginMs) };
    case 'closeHolder':
      if (holder !== undefined) {
        const { claimToken: token } = acquiring;
        await store.close(holder, { cause: 'cancelled', deadBefore: now - marginMs, token }, now);
      }
      return undefined;
    case 'cancelHolder': {
      if (holder !== undefined && holder.cancelRequestedAt === undefined) await store.requestCancel(holder, now);
      await store.queue(event, { nextAttemptAt: now, trigger }, now);
      const gone = holder === undefined || (await waitForEnd(acquiring, holder, waitUntil));
      return gone ? undefined : { refusal: 'buffered', ...wakeAfter(holder, marginMs) };
    }
  }
}

/** Reads whose turn it is, and plans for it. */
async function look(acquiring: Acquiring) {
  const { dependencies, event } = acquiring;
  const { store, clock, job } = dependencies;
  const { marginMs } = dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES;
  const turn = await store.getTurn(event.job);
  const holder = await otherRun(acquiring, turn.holder);
  const needsBuffered = job.overlap === 'bufferOne' && holder !== undefined && !isFinished(holder);
  const buffered = needsBuffered ? await otherRun(acquiring, turn.buffered) : undefined;
  const now = clock.now();
  const { scheduledTime, trigger } = event;
  const plan = planOverlap(job.overlap, {
    scheduledTime,
    trigger,
    now,
    marginMs,
    turn,
    ...(holder === undefined ? {} : { holder }),
    ...(buffered === undefined ? {} : { buffered }),
  });
  return { plan, turn, holder, now };
}

/**
 * The turn that need not be read: for the next occurrence of a job whose last run was this process's. Not where runs may
 * wait in a queue: of one that was claimed nobody can tell any more whether it had waited.
 */
function rememberedTurn({ dependencies, event }: Acquiring): FreeTurn | undefined {
  const free = dependencies.job.overlap === 'skip' ? dependencies.turns?.free(event.job) : undefined;
  return event.trigger === 'schedule' && event.scheduledTime > (free?.turn.holder ?? 0) ? free : undefined;
}

/** Claims and takes the turn without a look at it. The look follows if the turn is not as it is remembered. */
async function acquireUnread(
  acquiring: Acquiring,
  { turn: remembered, windowFrom }: FreeTurn,
): Promise<Acquisition | undefined> {
  const { dependencies, event } = acquiring;
  const { store, clock, turns } = dependencies;
  const answer = await claim(acquiring);
  if (answer.outcome !== 'claimed') return refusalOf(acquiring, answer);
  const window = windowFrom === undefined ? {} : { windowFrom };
  if (await store.takeTurn(answer.claim, { seen: remembered, ...window, remembered: true }, clock.now())) {
    turns?.took(answer.claim, remembered, windowFrom);
    return { claim: answer.claim, ...window };
  }
  const { plan, turn, holder, now } = await look(acquiring);
  turns?.forget(event.job);
  if (plan.action === 'proceed') return takeTurn(acquiring, answer.claim, turn, holder);
  // What a person asked for, or what has begun before, is not skipped.
  if (plan.action === 'skip' && answer.claim.trigger === 'schedule' && answer.claim.fencingToken === 1) {
    const { cause } = plan;
    if (cause === 'paused') await noteSuccess(acquiring, turn, holder);
    await store.end(answer.claim, { status: 'skipped', cause }, now);
    return { refusal: 'skipped', cause };
  }
  await store.end(answer.claim, { status: 'yielded', nextAttemptAt: now }, now);
  return undefined;
}

/** A pause may outlast the record of the last success, which the next window is to begin at: once in a pause it is noted. */
async function noteSuccess({ dependencies }: Acquiring, turn: TurnRecord, holder: RunRecord | undefined) {
  const through = succeededThrough(turn, holder);
  if (through === undefined || through === turn.windowFrom) return;
  await dependencies.store.noteSuccess(turn, through, dependencies.clock.now());
}

/** Whatever was in the way of recording a skip decides. */
async function notSkipped(
  { dependencies, event }: Acquiring,
  turn: TurnRecord,
  holder: RunRecord | undefined,
): Promise<Acquisition> {
  const run = await dependencies.store.getRun(event);
  if (run !== undefined && isFinished(run)) return { refusal: 'done', run };
  const { marginMs } = dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES;
  const paused = isPaused(turn, dependencies.clock.now());
  const found = run === undefined ? {} : { run };
  return { refusal: paused ? 'paused' : 'busy', ...found, ...(paused ? {} : wakeAfter(holder, marginMs)) };
}

async function claimInTurn(
  acquiring: Acquiring,
  turn: TurnRecord,
  holder: RunRecord | undefined,
): Promise<Acquisition | undefined> {
  const answer = await claim(acquiring);
  if (answer.outcome !== 'claimed' || acquiring.dependencies.job.overlap === 'allow') {
    return refusalOf(acquiring, answer);
  }
  return takeTurn(acquiring, answer.claim, turn, holder);
}

async function takeTurn(
  { dependencies, event }: Acquiring,
  claimed: Claim,
  turn: TurnRecord,
  holder: RunRecord | undefined,
): Promise<Acquisition | undefined> {
  const { store, clock, job, turns } = dependencies;
  // A run that has the turn keeps it until it is finished, and with it the beginning of its window.
  const owned = turn.holder === event.scheduledTime;
  const from = owned ? turn.windowFrom : succeededThrough(turn, holder);
  const window = from === undefined ? {} : { windowFrom: from };
  if (owned) return { claim: claimed, ...window };
  if (await store.takeTurn(claimed, { seen: turn, ...window }, clock.now())) {
    turns?.took(claimed, turn, from);
    return { claim: claimed, ...window };
  }
  const asked = event.trigger === 'manual' || event.trigger === 'backfill';
  if (job.overlap !== 'skip' || asked) {
    await store.end(claimed, { status: 'yielded', nextAttemptAt: clock.now() }, clock.now());
    return undefined;
  }
  await store.end(claimed, { status: 'skipped', cause: 'overlap' }, clock.now());
  return { refusal: 'skipped', cause: 'overlap' };
}

function claim({ dependencies, event, context, claimToken }: Acquiring): Promise<ClaimAnswer> {
  const { store, clock, job } = dependencies;
  const times = dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES;
  const now = clock.now();
  return store.claim({
    job: event.job,
    scheduledTime: event.scheduledTime,
    claimToken,
    now,
    leaseExpiresAt: planLease(job.lease ?? 'invocation', now, context.getRemainingTimeInMillis(), times),
    deadBefore: deadBefore(now, times),
    maxAttempts: job.retry.maxAttempts,
    trigger: event.trigger,
    revision: event.revision ?? job.revision,
    ...(job.retentionMs === undefined ? {} : { retentionMs: job.retentionMs }),
  });
}

function refusalOf({ dependencies }: Acquiring, answer: ClaimAnswer): Acquisition {
  const { marginMs } = dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES;
  switch (answer.outcome) {
    case 'claimed':
      return { claim: answer.claim };
    case 'busy':
      return { refusal: 'busy', run: answer.run, ...wakeAfter(answer.run, marginMs) };
    case 'early':
      return { refusal: 'early', run: answer.run, ...wakeAfter(answer.run, marginMs) };
    case 'done':
    case 'exhausted':
      return { refusal: answer.outcome, run: answer.run };
  }
}

function wakeAfter(run: RunRecord | undefined, marginMs: number): { readonly wakeAt?: number } {
  const at = run?.status === 'running' ? (run.leaseExpiresAt ?? 0) + marginMs : run?.nextAttemptAt;
  return at === undefined ? {} : { wakeAt: at };
}

async function otherRun({ dependencies, event }: Acquiring, scheduledTime: number | undefined) {
  if (scheduledTime === undefined || scheduledTime === event.scheduledTime) return undefined;
  return dependencies.store.getRun({ job: event.job, scheduledTime });
}

async function waitForEnd(
  { dependencies, context }: Acquiring,
  holder: RunRecord,
  waitUntil: number,
): Promise<boolean> {
  const { store, clock } = dependencies;
  const { minimumToStartMs } = dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES;
  while (clock.now() < waitUntil && context.getRemainingTimeInMillis() > 2 * minimumToStartMs) {
    await clock.sleepUntil(clock.now() + LOOK_AGAIN_MS);
    const run = await store.getRun(holder);
    if (run === undefined || run.status !== 'running') return true;
  }
  return false;
}
