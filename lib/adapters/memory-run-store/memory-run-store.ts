import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import type {
  ClaimAnswer,
  ClaimRequest,
  Closing,
  CommitAnswer,
  Ending,
  NumberedCheckpoint,
  OwnerAnswer,
  Renewal,
  RunStore,
  Skip,
  TurnToTake,
  WatchdogRunStore,
} from '../../domain/ports.ts';
import { claimOf, recordAfterClaim } from '../../domain/run/claim-record.ts';
import { closingError, closingToken } from '../../domain/run/closing-error.ts';
import { DEFAULT_LEASE_TIMES, deadBefore } from '../../domain/run/lease.ts';
import { planClaim } from '../../domain/run/plan-claim.ts';
import type { Claim, RunRecord, TurnRecord } from '../../domain/run/run-record.ts';
import { assertTransition, type RunTransition } from '../../domain/run/run-transitions.ts';
import { applyEnding, endingHolds, owns, withoutUndefined } from './memory-records.ts';

export interface MemoryRunStoreOptions<Effect> {
  /**
   * Applies a commit's effects, or says why not: one reason per effect, `None` for those that stand in nobody's way.
   * Default: they are kept in `effects`.
   */
  readonly applyEffects?: (effects: readonly Effect[]) => readonly string[] | undefined;
}

/** The run records in this process: for tests, and for simulations on a clock that jumps. */
export class MemoryRunStore<Effect = unknown> implements RunStore<Effect>, WatchdogRunStore {
  /** Every effect committed so far, in order. */
  readonly effects: Effect[] = [];
  readonly #runs = new Map<string, RunRecord>();
  readonly #turns = new Map<string, TurnRecord>();
  readonly #checkpoints = new Map<string, NumberedCheckpoint>();
  readonly #applyEffects: (effects: readonly Effect[]) => readonly string[] | undefined;

  constructor(options: MemoryRunStoreOptions<Effect> = {}) {
    this.#applyEffects = options.applyEffects ?? (() => undefined);
  }

  /** All runs of a job, or of every job, by scheduled time. */
  runs(job?: string): readonly RunRecord[] {
    const all = [...this.#runs.values()].filter((run) => job === undefined || run.job === job);
    return all.sort((left, right) => left.scheduledTime - right.scheduledTime);
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    const run = this.#runs.get(idOf(request));
    const plan = planClaim(run, request);
    if (plan.action === 'claim') {
      const claimed = recordAfterClaim(run, request);
      this.#write(run?.status === 'running' ? 'takeOver' : 'claim', claimed);
      return { outcome: 'claimed', claim: claimOf(claimed) };
    }
    if (run === undefined) throw new Error('a run without a record can always be claimed');
    switch (plan.action) {
      case 'own':
        return { outcome: 'claimed', claim: claimOf(run) };
      case 'done':
        return { outcome: 'done', status: plan.status, run };
      case 'exhausted':
        await this.close(
          run,
          { cause: 'exhausted', deadBefore: request.deadBefore, token: request.claimToken },
          request.now,
        );
        return { outcome: 'exhausted', run };
      case 'busy':
      case 'early':
        return { outcome: plan.action, run };
    }
  }

  async renew(claim: Claim, { leaseExpiresAt, checkpoint, progress }: Renewal, now: number): Promise<OwnerAnswer> {
    const run = this.#owned(claim);
    if (run === undefined) return 'fenced';
    if (checkpoint !== undefined && checkpoint.number <= (run.saves ?? 0)) return 'written';
    const saved = checkpoint === undefined ? {} : { checkpoint: checkpoint.text, saves: checkpoint.number };
    this.#write('renew', { ...run, leaseExpiresAt, updatedAt: now, ...saved, ...withoutUndefined({ progress }) });
    return 'written';
  }

  async end(claim: Claim, ending: Ending, now: number): Promise<OwnerAnswer> {
    const run = this.#owned(claim);
    if (run === undefined) return endingHolds(this.#runs.get(idOf(claim)), claim, ending) ? 'written' : 'fenced';
    this.#write(transitionOf(ending), applyEnding(run, ending, now));
    return 'written';
  }

  async commit(
    claim: Claim,
    effects: readonly Effect[],
    result: string | undefined,
    now: number,
  ): Promise<CommitAnswer> {
    const ending: Ending = { status: 'succeeded', ...withoutUndefined({ result }) };
    const run = this.#owned(claim);
    if (run === undefined) {
      return { outcome: endingHolds(this.#runs.get(idOf(claim)), claim, ending) ? 'written' : 'fenced' };
    }
    const reasons = this.#applyEffects(effects);
    if (reasons !== undefined) return { outcome: 'refused', reasons };
    this.effects.push(...effects);
    this.#write('complete', applyEnding(run, ending, now));
    return { outcome: 'written' };
  }

  async getRun(key: OccurrenceKey): Promise<RunRecord | undefined> {
    return this.#runs.get(idOf(key));
  }

  async getTurn(job: string): Promise<TurnRecord> {
    return this.#turns.get(job) ?? { job, version: 0 };
  }

  async takeTurn(claim: Claim, { seen, windowFrom, remembered = false }: TurnToTake): Promise<boolean> {
    const current = await this.getTurn(claim.job);
    if (current.version !== seen.version) {
      const mine = current.holder === claim.scheduledTime && current.version === seen.version + 1;
      return mine && this.#owned(claim) !== undefined;
    }
    if (remembered && current.paused !== undefined) return false;
    const { buffered, ...rest } = current;
    this.#turns.set(claim.job, {
      ...rest,
      ...withoutUndefined({ buffered: seen.buffered === claim.scheduledTime ? undefined : buffered, windowFrom }),
      holder: claim.scheduledTime,
      version: current.version + 1,
    });
    return true;
  }

  async buffer(key: OccurrenceKey, seen: TurnRecord): Promise<boolean> {
    const current = await this.getTurn(key.job);
    if (current.buffered !== seen.buffered) return current.buffered === key.scheduledTime;
    this.#turns.set(key.job, { ...current, buffered: key.scheduledTime });
    return true;
  }

  async noteSuccess(seen: TurnRecord, through: number): Promise<void> {
    const current = await this.getTurn(seen.job);
    if (current.version === seen.version) this.#turns.set(seen.job, { ...current, windowFrom: through });
  }

  async pause(job: string, { by, note }: { readonly by: string; readonly note: string }): Promise<void> {
    this.#turns.set(job, { ...(await this.getTurn(job)), paused: true, pausedBy: by, pauseNote: note });
  }

  /** What a person does after a pause. */
  async resume(job: string): Promise<void> {
    const { paused, pausedBy, pauseNote, pausedUntil, ...turn } = await this.getTurn(job);
    this.#turns.set(job, turn);
  }

  async skip(key: OccurrenceKey, { cause, trigger, evenIfQueued }: Skip, now: number): Promise<boolean> {
    const run = this.#runs.get(idOf(key));
    const queued = evenIfQueued && run?.status === 'pending' && run.fencingToken === 0;
    // The same instant means that it was this request, whose answer was lost.
    if (run !== undefined && !queued) return evenIfQueued && run.status === 'skipped' && run.updatedAt === now;
    this.#write('skip', {
      ...(run ?? newRun(key)),
      status: 'skipped',
      cause,
      trigger: run?.trigger ?? trigger,
      updatedAt: now,
    });
    return true;
  }

  async queue(key: OccurrenceKey, queue: Pick<RunRecord, 'trigger'> & { readonly nextAttemptAt: number }, now: number) {
    if (this.#runs.has(idOf(key))) return false;
    this.#write('queue', { ...newRun(key), ...queue, status: 'pending', updatedAt: now });
    return true;
  }

  async requestCancel(run: RunRecord, now: number): Promise<boolean> {
    const found = this.#runs.get(idOf(run));
    if (found?.status !== 'running') return false;
    this.#runs.set(idOf(run), { ...found, cancelRequestedAt: now });
    return true;
  }

  async close(run: RunRecord, closing: Closing, now: number): Promise<boolean> {
    const found = this.#runs.get(idOf(run));
    const { cause, token: claimToken = closingToken(now) } = closing;
    if (found?.status === 'failed' && found.claimToken === claimToken) return true;
    const closable =
      run.status === 'running'
        ? found?.status === 'running' && (found.leaseExpiresAt ?? 0) < closing.deadBefore
        : found?.status === 'pending' && found.fencingToken === run.fencingToken;
    if (!closable || found === undefined) return false;
    const transition = cause === 'cancelled' ? 'cancel' : 'exhaust';
    const error = closingError(cause, found);
    const { checkpoint, ...finished } = found;
    this.#write(transition, { ...finished, status: 'failed', claimToken, updatedAt: now, cause, error });
    return true;
  }

  async saveLargeCheckpoint(claim: Claim, checkpoint: NumberedCheckpoint): Promise<void> {
    const id = `${idOf(claim)} ${claim.fencingToken}`;
    if ((this.#checkpoints.get(id)?.number ?? 0) < checkpoint.number) this.#checkpoints.set(id, checkpoint);
  }

  async loadLargeCheckpoint(key: OccurrenceKey, fencingToken: number): Promise<string | undefined> {
    return this.#checkpoints.get(`${idOf(key)} ${fencingToken}`)?.text;
  }

  async getRuns(keys: readonly OccurrenceKey[]): Promise<readonly RunRecord[]> {
    return [...new Set(keys.map(idOf))].map((id) => this.#runs.get(id)).filter((run) => run !== undefined);
  }

  async recordMissed(key: OccurrenceKey, cause: string, now: number): Promise<boolean> {
    if (this.#runs.has(idOf(key))) return false;
    this.#write('miss', { ...newRun(key), status: 'missed', cause, updatedAt: now });
    return true;
  }

  closeExhausted(run: RunRecord, now: number): Promise<boolean> {
    return this.close(run, { cause: 'exhausted', deadBefore: deadBefore(now, DEFAULT_LEASE_TIMES) }, now);
  }

  #owned(claim: Claim): RunRecord | undefined {
    const run = this.#runs.get(idOf(claim));
    return run !== undefined && run.status === 'running' && owns(run, claim) ? run : undefined;
  }

  #write(transition: RunTransition, run: RunRecord): void {
    assertTransition(transition, this.#runs.get(idOf(run))?.status ?? 'absent', run.status);
    this.#runs.set(idOf(run), run);
  }
}

function idOf({ job, scheduledTime }: OccurrenceKey): string {
  return `${job} ${scheduledTime}`;
}

function newRun({ job, scheduledTime }: OccurrenceKey): RunRecord {
  return { job, scheduledTime, status: 'pending', fencingToken: 0, attempts: 0, trigger: 'schedule' };
}

function transitionOf({ status }: Ending): RunTransition {
  switch (status) {
    case 'succeeded':
      return 'complete';
    case 'failed':
    case 'timedOut':
      return 'fail';
    case 'pending':
      return 'retry';
    case 'continuing':
      return 'continueLater';
    case 'yielded':
    case 'skipped':
      return 'yieldTurn';
  }
}
