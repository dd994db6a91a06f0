import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { BelfryError } from '../../lib/domain/errors.ts';
import type { OccurrenceEvent } from '../../lib/domain/occurrence-event.ts';
import type { Ending } from '../../lib/domain/ports.ts';
import { DEFAULT_LEASE_TIMES, type LeaseTimes, planLease, planRunningTime } from '../../lib/domain/run/lease.ts';
import { planRetry } from '../../lib/domain/run/plan-retry.ts';
import type { Claim } from '../../lib/domain/run/run-record.ts';
import {
  attemptEnded,
  commitRefused,
  committedTwice,
  deadlineReached,
  fenced,
  isCancelled,
  tooManySegments,
} from './attempt-errors.ts';
import { reportAttempt, reportFenced, type Settlement } from './attempt-report.ts';
import { type Checkpoint, checkpointTooLarge, resultText } from './checkpoints.ts';
import { CustomMetrics } from './custom-metrics.ts';
import type { InvocationContext, RuntimeDependencies } from './dependencies.ts';
import type { Json } from './job-run.ts';
import { errorText, isoInstant } from './lines.ts';
import { persist } from './persistence.ts';

/** Left for telling how the attempt ended, however slow the store is. */
const KEEP_MS = 1_000;
const DEFAULT_MAX_SEGMENTS = 20;
const SUCCEEDED = { status: 'succeeded' } as const;

/** One claimed attempt: what it may still write, and how it ends. It ends once; later endings change nothing. */
export class Attempt {
  readonly claim: Claim;
  readonly event: OccurrenceEvent;
  readonly checkpoint: Checkpoint;
  readonly context: InvocationContext;
  readonly dependencies: RuntimeDependencies;
  readonly times: LeaseTimes;
  /** Up to where earlier runs have succeeded. */
  readonly windowFrom: number | undefined;
  readonly startedAt: number;
  readonly deadline: number;
  /** How long the handler may run, real milliseconds. */
  readonly runningTimeMs: number;
  progress: string | undefined;
  /** The deadline has passed. */
  overran = false;
  /** Steps that this attempt has saved, in this invocation. */
  stepsSaved = 0;
  #abort: AbortController | undefined;
  #metrics: CustomMetrics | undefined;
  readonly #startedElapsed: number;
  #settlement: Promise<Settlement> | undefined;
  #commit: 'none' | 'begun' | 'committed' = 'none';
  #commitError: unknown;
  #saving: Promise<unknown> = Promise.resolve();
  #committing: Promise<void> = Promise.resolve();

  constructor(parts: {
    readonly claim: Claim;
    readonly event: OccurrenceEvent;
    readonly checkpoint: Checkpoint;
    readonly context: InvocationContext;
    readonly dependencies: RuntimeDependencies;
    readonly windowFrom: number | undefined;
  }) {
    this.claim = parts.claim;
    this.event = parts.event;
    this.checkpoint = parts.checkpoint;
    this.context = parts.context;
    this.windowFrom = parts.windowFrom;
    this.dependencies = parts.dependencies;
    this.times = this.dependencies.leaseTimes ?? DEFAULT_LEASE_TIMES;
    this.startedAt = this.dependencies.clock.now();
    this.#startedElapsed = this.dependencies.clock.elapsed();
    this.runningTimeMs = planRunningTime(this.timeLeft(), this.dependencies.job.timeoutMs, this.times);
    this.deadline = this.startedAt + this.runningTimeMs;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  /** What the handler adds to metrics. */
  get metrics(): CustomMetrics {
    this.#metrics ??= new CustomMetrics(this.claim.job);
    return this.#metrics;
  }

  /** The same, if it has added any. */
  get addedMetrics(): CustomMetrics | undefined {
    return this.#metrics;
  }

  get settled(): boolean {
    return this.#settlement !== undefined;
  }

  get committed(): boolean {
    return this.#commit === 'committed';
  }

  /** Real milliseconds since the attempt began. */
  tookMs(): number {
    return this.dependencies.clock.elapsed() - this.#startedElapsed;
  }

  timeLeft(): number {
    return this.context.getRemainingTimeInMillis();
  }

  abort(reason: BelfryError): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  /** When a lease written now expires. */
  leaseFromNow(): number {
    const kind = this.dependencies.job.lease ?? 'invocation';
    return planLease(kind, this.dependencies.clock.now(), this.timeLeft(), this.times);
  }

  persist<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    return persist(request, { clock: this.dependencies.clock, timeLeft: () => this.timeLeft(), keepMs: KEEP_MS });
  }

  /** Saves the checkpoint and extends the lease. @throws BelfryError `Fenced` */
  save(): Promise<void> {
    // One at a time: of two on their way at once the older could arrive last, and take back a step of the newer.
    const saved = this.#saving.then(() => this.#save());
    this.#saving = saved.catch(() => {});
    return saved;
  }

  async #save(): Promise<void> {
    const { store, clock } = this.dependencies;
    const { progress } = this;
    await this.persist(async () => {
      const checkpoint = await this.checkpoint.save(store, this.claim, clock.now());
      const renewal = {
        leaseExpiresAt: this.leaseFromNow(),
        checkpoint,
        ...(progress === undefined ? {} : { progress }),
      };
      if ((await store.renew(this.claim, renewal, clock.now())) === 'fenced') throw this.#fenced();
    });
    this.stepsSaved++;
  }

  /** Extends the lease. False: the run is no longer this attempt's. */
  async renew(): Promise<boolean> {
    const { store, clock } = this.dependencies;
    const progress = this.progress === undefined ? {} : { progress: this.progress };
    const renewal = { leaseExpiresAt: this.leaseFromNow(), ...progress };
    if ((await store.renew(this.claim, renewal, clock.now())) === 'written') return true;
    // An ending of its own that overtook the renewal takes nothing from the handler.
    if (this.#commit === 'none' && !this.settled) this.#fenced();
    return false;
  }

  /** Ends the run and applies the effects in one transaction. */
  async commit(effects: readonly TransactWriteItem[], result: Json | undefined): Promise<void> {
    if (this.settled) throw attemptEnded(this.claim.job, 'run.commit');
    if (this.#commit !== 'none') throw committedTwice(this.claim.job);
    this.#commit = 'begun';
    const committing = this.#sendCommit(effects, resultText(result));
    this.#committing = committing.catch((error: unknown) => {
      this.#commitError = error;
    });
    await committing;
  }

  async #sendCommit(effects: readonly TransactWriteItem[], result: string | undefined): Promise<void> {
    const { store, clock } = this.dependencies;
    const now = clock.now();
    const answer = await this.persist(() => store.commit(this.claim, effects, result, now));
    if (answer.outcome === 'written') {
      this.#commit = 'committed';
      return;
    }
    if (answer.outcome === 'fenced') throw this.#fenced();
    this.#commit = 'none';
    throw commitRefused(this.claim.job, answer.reasons);
  }

  succeed(value: unknown): Promise<Settlement> {
    return this.#settle('', undefined, async () => {
      // Whoever passes over what the commit said, or did not wait for it, has not succeeded without its effects.
      if (this.#commit === 'begun') return this.#fail(this.#commitError);
      const result = resultText(value);
      return this.#end(result === undefined ? SUCCEEDED : { status: 'succeeded', result }, 'succeeded');
    });
  }

  fail(error: unknown): Promise<Settlement> {
    return this.#settle('; the handler threw after its commit', error, () => this.#fail(error));
  }

  async #fail(error: unknown): Promise<Settlement> {
    if (this.claim.cancelRequestedAt !== undefined || isCancelled(this.signal)) {
      return this.#end({ status: 'failed', error: errorText(error), cause: 'cancelled' }, 'cancelled', error);
    }
    const plan = this.#planRetry();
    if (plan.action === 'giveUp') return this.#end({ status: 'failed', error: errorText(error) }, 'failed', error);
    const { nextAttemptAt } = plan;
    return this.#end({ status: 'pending', nextAttemptAt, error: errorText(error) }, 'failed, to be retried', error, {
      inPlace: plan.action === 'retryInPlace',
    });
  }

  /** The deadline passed and the handler did not end. */
  timeOut(): Promise<Settlement> {
    return this.#settle('; the handler did not end after its commit', undefined, async () => {
      const error = deadlineReached(this.runningTimeMs);
      const follow = this.dependencies.job.onTimeout ?? 'retry';
      const plan = this.#planRetry();
      if (follow === 'retry' && plan.action !== 'giveUp') {
        const { nextAttemptAt } = plan;
        return this.#end(
          { status: 'pending', nextAttemptAt, error: errorText(error) },
          'timed out, to be retried',
          error,
        );
      }
      const held = follow === 'hold';
      if (held) await this.#pause();
      const cause = held ? { cause: 'held' } : {};
      return this.#end({ status: 'timedOut', error: errorText(error), ...cause }, 'timed out', error);
    });
  }

  /** The attempt goes on in another invocation, with what is saved and `state`. */
  continueLater(state: Json | undefined): Promise<Settlement> {
    return this.#settle('; what it left for another invocation is not done', undefined, async () => {
      const { job, store, clock } = this.dependencies;
      const most = job.maxSegments ?? DEFAULT_MAX_SEGMENTS;
      if (this.claim.segments + 1 >= most) {
        const error = tooManySegments(job.name, most);
        return this.#end({ status: 'failed', error: errorText(error), cause: 'segments' }, 'failed', error);
      }
      if (!this.checkpoint.fits(state)) return this.#fail(checkpointTooLarge(job.name));
      const saved = await this.persist(() => this.checkpoint.save(store, this.claim, clock.now(), state));
      const ending = { status: 'continuing', nextAttemptAt: clock.now(), checkpoint: saved.text } as const;
      return this.#end(ending, 'goes on in another invocation');
    });
  }

  /** What the attempt did is unknown: no run of this job starts until a person has looked. */
  #pause(): Promise<void> {
    const { store, clock } = this.dependencies;
    const note = `the run of ${isoInstant(this.claim.scheduledTime)} timed out, and what it did is unknown`;
    return this.persist(() => store.pause(this.claim.job, { by: 'belfry', note }, clock.now()));
  }

  #planRetry() {
    const { job, clock } = this.dependencies;
    return planRetry(job.retry, {
      attempt: this.claim.attempt,
      now: clock.now(),
      remainingMs: this.timeLeft(),
      attemptTookMs: this.tookMs(),
      seed: `${this.claim.job} ${this.claim.scheduledTime}`,
    });
  }

  #settle(afterCommit: string, error: unknown, how: () => Promise<Settlement>): Promise<Settlement> {
    // A commit that the handler did not await must have its answer first: a success written meanwhile would pass for it.
    this.#settlement ??=
      this.#commit === 'none'
        ? how()
        : this.#committing.then(() =>
            this.#commit === 'committed' ? reportAttempt(this, 'succeeded', `succeeded${afterCommit}`, error) : how(),
          );
    return this.#settlement;
  }

  async #end(
    ending: Exclude<Ending, { status: 'yielded' }>,
    message: string,
    error?: unknown,
    plan?: { inPlace: boolean },
  ): Promise<Settlement> {
    const { store, clock } = this.dependencies;
    const now = clock.now();
    const answer = await this.persist(() => store.end(this.claim, ending, now));
    if (answer === 'fenced') {
      if (this.#commit === 'begun' && (await this.#committedAfterAll())) {
        return reportAttempt(this, 'succeeded', 'succeeded; the answer to its commit was lost', error);
      }
      this.#fenced();
      return reportFenced(this);
    }
    const continues = ending.status === 'continuing';
    const status = continues ? 'pending' : ending.status;
    const cause = 'cause' in ending ? ending.cause : undefined;
    const settlement = reportAttempt(this, status, message, error, { continues, cause });
    if (!('nextAttemptAt' in ending)) return settlement;
    return { ...settlement, inPlace: plan?.inPlace ?? false, nextAttemptAt: ending.nextAttemptAt };
  }

  async #committedAfterAll(): Promise<boolean> {
    const run = await this.persist(() => this.dependencies.store.getRun(this.claim));
    return run?.status === 'succeeded' && run.claimToken === this.claim.claimToken;
  }

  #fenced(): BelfryError {
    const error = fenced(this.claim);
    this.abort(error);
    return error;
  }
}
