import { BelfryError } from '../../lib/domain/errors.ts';
import { DEFAULT_LEASE_TIMES } from '../../lib/domain/run/lease.ts';
import { planAdmission } from '../../lib/domain/run/plan-admission.ts';
import { type Acquiring, type Acquisition, acquire, type Refusal } from './acquire.ts';
import { Attempt } from './attempt.ts';
import { Checkpoint } from './checkpoints.ts';
import { printAttempt, printRefusal } from './lines.ts';
import { persist } from './persistence.ts';
import { armWakeUp } from './wake.ts';

type Refused = Extract<Acquisition, { readonly refusal: Refusal }>;

/** An attempt that is due this soon is waited for. */
const SHORT_WAIT_MS = 10_000;

/** Admits, claims and reads the checkpoint. What starts nothing is told in one line. */
export async function beginAttempt(
  acquiring: Acquiring,
  { checkpointVersion = '1' }: { readonly checkpointVersion?: string },
): Promise<{ readonly attempt: Attempt } | Refused> {
  const { dependencies, event, context } = acquiring;
  const { store, clock } = dependencies;
  assertTimeToStart(acquiring);
  const time = { clock, timeLeft: () => context.getRemainingTimeInMillis(), keepMs: startingTime(acquiring) };
  const acquisition = await persist(() => admit(acquiring), time);
  if ('refusal' in acquisition) {
    if (acquisition.refusal === 'early' && isSoon(acquiring, acquisition)) {
      await clock.sleepUntil(acquisition.wakeAt ?? 0);
      return beginAttempt(acquiring, { checkpointVersion });
    }
    tell(acquiring, acquisition);
    await armWakeUp(acquiring, acquisition);
    return acquisition;
  }
  const { claim, windowFrom } = acquisition;
  const checkpoint =
    claim.checkpoint === undefined
      ? Checkpoint.empty(checkpointVersion)
      : await persist(() => Checkpoint.load(store, claim, checkpointVersion), time);
  return { attempt: new Attempt({ claim, event, checkpoint, context, dependencies, windowFrom }) };
}

/** @throws BelfryError `NotEnoughTime` */
function assertTimeToStart({ dependencies, context }: Acquiring): void {
  const { minimumToStartMs } = dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES;
  const remaining = context.getRemainingTimeInMillis();
  if (remaining < minimumToStartMs) {
    throw new BelfryError(
      'NotEnoughTime',
      `job '${dependencies.job.name}' was started with ${remaining} ms left: an attempt needs at least ${minimumToStartMs} ms; give the function a longer timeout`,
    );
  }
}

async function admit(acquiring: Acquiring): Promise<Acquisition> {
  const { dependencies, event } = acquiring;
  const { store, clock, job } = dependencies;
  const now = clock.now();
  const admission = planAdmission(event, job, now, dependencies.isDue);
  if (admission === 'tooOld' || admission === 'notDue') return { refusal: admission };
  if (admission === 'superseded') {
    const skip = { cause: 'superseded', trigger: event.trigger, evenIfQueued: false };
    if (await store.skip(event, skip, now)) return { refusal: 'superseded', cause: 'superseded' };
    const run = await store.getRun(event);
    // An attempt was begun while its revision was in force: it is carried to its end.
    if (run === undefined || run.fencingToken === 0) return { refusal: 'superseded' };
  }
  return acquire(acquiring);
}

function startingTime({ dependencies }: Acquiring): number {
  return (dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES).minimumToStartMs;
}

function isSoon({ dependencies, context }: Acquiring, { wakeAt = Number.POSITIVE_INFINITY }: Refused): boolean {
  const wait = wakeAt - dependencies.clock.now();
  const { minimumToStartMs } = dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES;
  return wait <= SHORT_WAIT_MS && context.getRemainingTimeInMillis() - wait > 2 * minimumToStartMs;
}

const MESSAGES: Record<Exclude<Refusal, 'notDue'>, string> = {
  busy: 'another attempt of this run is at work: nothing was started',
  early: 'the next attempt of this run is not due yet: nothing was started',
  done: 'this run is finished already: nothing was started',
  exhausted: 'every attempt of this run was used and none finished it: closed as failed',
  buffered: 'the previous run of this job is still going: this one waits for it',
  skipped: 'skipped',
  paused: 'the job is paused: this run waits',
  tooOld: 'the event is older than 31 days, when its record may be gone: refused',
  superseded: 'the schedule has changed and no longer has this occurrence: skipped',
};

function tell({ dependencies, event, context }: Acquiring, { refusal, cause, run }: Refused): void {
  // Most firings of such a schedule are refused, and each line is billed.
  if (refusal === 'notDue') return;
  const { job, scheduledTime, trigger } = event;
  const requestId = context.awsRequestId;
  if (cause === undefined && refusal !== 'exhausted') {
    const level = refusal === 'tooOld' ? 'error' : 'info';
    printRefusal(dependencies, { job, scheduledTime, outcome: refusal, requestId, level, message: MESSAGES[refusal] });
    return;
  }
  printAttempt(dependencies, {
    job,
    scheduledTime,
    status: refusal === 'exhausted' ? 'failed' : 'skipped',
    message: refusal === 'skipped' ? `skipped: ${cause}` : MESSAGES[refusal],
    attempt: run?.attempts ?? 0,
    trigger,
    durationMs: 0,
    latenessMs: dependencies.clock.now() - scheduledTime,
    fencingToken: run?.fencingToken ?? 0,
    requestId,
    cause: cause ?? refusal,
    continues: false,
  });
}
