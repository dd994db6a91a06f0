import type { AttributeValue, DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { CAUSE_LIMIT, TEXT_LIMIT } from '../../domain/contract/limits.ts';
import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import { RETENTION_MS } from '../../domain/contract/retention.ts';
import type { Trigger } from '../../domain/job.ts';
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
import { type Claim, isFinished, type RunRecord, type TurnRecord } from '../../domain/run/run-record.ts';
import { shorten } from '../../domain/run/shorten.ts';
import { batchGetRuns } from './batch-get-runs.ts';
import { claimValues, mine, PENDING, RUNNING, ZERO } from './claim-write.ts';
import { commitTransaction } from './commit-transaction.ts';
import { type EndWrite, endWrite, owns } from './end-write.ts';
import {
  BUFFER,
  CLAIM,
  CLOSE,
  NOTE_SUCCESS,
  PAUSE,
  REQUEST_CANCEL,
  renewWith,
  SKIP,
  takeTurnWith,
} from './run-expressions.ts';
import { checkpointItemKey, type Item, readRun, readTurn, runItemKey, turnItemKey } from './run-item.ts';
import { n, RunTable, s } from './run-table.ts';
import { Refused } from './store-errors.ts';

/** The run records in DynamoDB: one item a run, one a job for the turn. */
export class DynamoDbRunStore implements RunStore<TransactWriteItem>, WatchdogRunStore {
  readonly #table: RunTable;
  readonly #retentionMs: number;

  constructor(client: DynamoDBClient, tableName: string, options: { readonly retentionMs?: number } = {}) {
    this.#table = new RunTable(client, tableName);
    this.#retentionMs = options.retentionMs ?? RETENTION_MS;
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    const values = claimValues(request, this.#expiresAt(request.now, request.retentionMs));
    const written = await this.#table.update(runItemKey(request), CLAIM, values, 'ALL_OLD');
    if (!(written instanceof Refused)) {
      // What was there before says what is there now, and of most runs there was nothing to send.
      const { Attributes: before } = written;
      const run = recordAfterClaim(before?.status === undefined ? undefined : readRun(before), request);
      return { outcome: 'claimed', claim: claimOf(run) };
    }
    const run = await this.#table.refusing(written, request);
    // Gone since it refused: only a deletion by hand does that.
    return run === undefined ? this.claim(request) : this.#answerRefusedClaim(run, request);
  }

  async #answerRefusedClaim(run: RunRecord, request: ClaimRequest): Promise<ClaimAnswer> {
    const plan = planClaim(run, request);
    switch (plan.action) {
      case 'own':
        return { outcome: 'claimed', claim: claimOf(run) };
      case 'done':
        return { outcome: 'done', status: plan.status, run };
      case 'busy':
      case 'early':
        return { outcome: plan.action, run };
      case 'exhausted': {
        const { claimToken: token, deadBefore: dead, now } = request;
        if (await this.close(run, { cause: 'exhausted', deadBefore: dead, token }, now))
          return { outcome: 'exhausted', run };
        const moved = (await this.getRun(run)) ?? run;
        return isFinished(moved)
          ? { outcome: 'done', status: moved.status, run: moved }
          : { outcome: 'busy', run: moved };
      }
      case 'claim':
        // The record changed between the refusal and the read: whoever changed it goes on with it.
        return { outcome: 'busy', run };
    }
  }

  async renew(claim: Claim, renewal: Renewal, now: number): Promise<OwnerAnswer> {
    const { leaseExpiresAt, checkpoint, progress } = renewal;
    const more = {
      ...(checkpoint === undefined ? {} : { ':checkpoint': s(checkpoint.text), ':saves': n(checkpoint.number) }),
      ...(progress === undefined ? {} : { ':progress': s(progress) }),
    };
    const expression = renewWith(Object.keys(more).map((name) => name.slice(1)));
    const values = { ...mine(claim), ':leaseExpiresAt': n(leaseExpiresAt), ':now': n(now), ...more };
    const written = await this.#table.update(runItemKey(claim), expression, values);
    if (!(written instanceof Refused)) return 'written';
    if (checkpoint === undefined) return 'fenced';
    const run = await this.#table.refusing(written, claim);
    const saved = run?.status === 'running' && owns(run, claim) && (run.saves ?? 0) >= checkpoint.number;
    return saved ? 'written' : 'fenced';
  }

  async end(claim: Claim, ending: Ending, now: number): Promise<OwnerAnswer> {
    const write = endWrite(ending, now);
    const written = await this.#table.update(runItemKey(claim), write.expression, { ...mine(claim), ...write.values });
    return written instanceof Refused ? this.#readBack(written, claim, write) : 'written';
  }

  async commit(
    claim: Claim,
    effects: readonly TransactWriteItem[],
    result: string | undefined,
    now: number,
  ): Promise<CommitAnswer> {
    const write = endWrite({ status: 'succeeded', ...(result === undefined ? {} : { result }) }, now);
    const answer = await commitTransaction(this.#table, {
      claim,
      expression: write.expression,
      values: { ...mine(claim), ...write.values },
      effects,
    });
    if (!(answer instanceof Refused)) return answer;
    return { outcome: await this.#readBack(answer, claim, write) };
  }

  /** A refused owner write was applied all the same when the record shows it: its response was lost. */
  async #readBack(refused: Refused, claim: Claim, write: EndWrite): Promise<OwnerAnswer> {
    const run = await this.#table.refusing(refused, claim);
    return run !== undefined && owns(run, claim) && write.isIn(run) ? 'written' : 'fenced';
  }

  getRun(key: OccurrenceKey): Promise<RunRecord | undefined> {
    return this.#table.getRun(key);
  }

  async getTurn(job: string): Promise<TurnRecord> {
    return readTurn(job, await this.#table.get(turnItemKey(job)));
  }

  async takeTurn(claim: Claim, { seen, windowFrom, remembered = false }: TurnToTake, now: number): Promise<boolean> {
    const first = seen.version === 0;
    const next = seen.version + 1;
    const expression = takeTurnWith({
      first,
      window: windowFrom !== undefined,
      unbuffer: seen.buffered === claim.scheduledTime,
      unlessPaused: remembered,
    });
    const written = await this.#table.update(turnItemKey(claim.job), expression, {
      ':holder': n(claim.scheduledTime),
      ':next': n(next),
      ':now': n(now),
      ...(first ? {} : { ':seen': n(seen.version) }),
      ...(windowFrom === undefined ? {} : { ':windowFrom': n(windowFrom) }),
    });
    if (!(written instanceof Refused)) return true;
    const found = await this.#turnThatRefused(written, claim.job);
    if (found.holder !== claim.scheduledTime || found.version !== next) return false;
    // Only the claim's holder makes its run the next one: then it was this very request, and its response was lost.
    const run = await this.getRun(claim);
    return run !== undefined && run.status === 'running' && owns(run, claim);
  }

  async buffer(key: OccurrenceKey, seen: TurnRecord): Promise<boolean> {
    const instead = seen.buffered === undefined ? {} : { ':seen': n(seen.buffered) };
    const expression = seen.buffered === undefined ? BUFFER.first : BUFFER.instead;
    const values = { ':buffered': n(key.scheduledTime), ...instead };
    const written = await this.#table.update(turnItemKey(key.job), expression, values);
    if (!(written instanceof Refused)) return true;
    return (await this.#turnThatRefused(written, key.job)).buffered === key.scheduledTime;
  }

  async noteSuccess(seen: TurnRecord, through: number, now: number): Promise<void> {
    const values = { ':seen': n(seen.version), ':windowFrom': n(through), ':now': n(now) };
    await this.#table.update(turnItemKey(seen.job), NOTE_SUCCESS, values);
  }

  async #turnThatRefused(refused: Refused, job: string): Promise<TurnRecord> {
    return readTurn(job, refused.item ?? (await this.#table.get(turnItemKey(job))));
  }

  async pause(job: string, { by, note }: { readonly by: string; readonly note: string }, now: number): Promise<void> {
    const values = { ':paused': { BOOL: true }, ':by': s(by), ':note': s(shorten(note, TEXT_LIMIT)), ':now': n(now) };
    await this.#table.update(turnItemKey(job), PAUSE, values);
  }

  async skip(key: OccurrenceKey, skip: Skip, now: number): Promise<boolean> {
    const cause = s(shorten(skip.cause, TEXT_LIMIT));
    if (!skip.evenIfQueued) {
      return this.#putNew(key, { status: s('skipped'), cause, trigger: s(skip.trigger) }, now);
    }
    const written = await this.#table.update(runItemKey(key), SKIP, {
      ':status': s('skipped'),
      ':pending': PENDING,
      ':zero': ZERO,
      ':now': n(now),
      ':cause': cause,
      ':trigger': s(skip.trigger),
      ':expiresAt': this.#expiresAt(now),
    });
    if (!(written instanceof Refused)) return true;
    // The same instant means that it was this request, whose answer was lost. Another instant is another delivery's skip.
    const found = await this.#table.refusing(written, key);
    return found?.status === 'skipped' && found.updatedAt === now;
  }

  queue(key: OccurrenceKey, queue: { readonly nextAttemptAt: number; readonly trigger: Trigger }, now: number) {
    const { nextAttemptAt, trigger } = queue;
    return this.#putNew(key, { status: PENDING, nextAttemptAt: n(nextAttemptAt), trigger: s(trigger) }, now);
  }

  async requestCancel(run: RunRecord, now: number): Promise<boolean> {
    const values = { ':running': RUNNING, ':now': n(now) };
    return !((await this.#table.update(runItemKey(run), REQUEST_CANCEL, values)) instanceof Refused);
  }

  async close(run: RunRecord, closing: Closing, now: number): Promise<boolean> {
    const { token = closingToken(now) } = closing;
    const running = run.status === 'running';
    const condition: Record<string, AttributeValue> = running
      ? { ':running': RUNNING, ':deadBefore': n(closing.deadBefore) }
      : { ':pending': PENDING, ':fencingToken': n(run.fencingToken) };
    const written = await this.#table.update(runItemKey(run), running ? CLOSE.running : CLOSE.pending, {
      ...condition,
      ':status': s('failed'),
      ':token': s(token),
      ':now': n(now),
      ':error': s(shorten(closingError(closing.cause, run), TEXT_LIMIT)),
      ':cause': s(shorten(closing.cause, CAUSE_LIMIT)),
    });
    if (!(written instanceof Refused)) return true;
    const found = await this.#table.refusing(written, run);
    return found?.status === 'failed' && found.claimToken === token;
  }

  saveLargeCheckpoint(claim: Claim, { text, number }: NumberedCheckpoint, now: number): Promise<void> {
    const key = checkpointItemKey(claim, claim.fencingToken);
    return this.#table.putNewer({ ...key, checkpoint: s(text), saves: n(number), expiresAt: this.#expiresAt(now) });
  }

  async loadLargeCheckpoint(key: OccurrenceKey, fencingToken: number): Promise<string | undefined> {
    return (await this.#table.get(checkpointItemKey(key, fencingToken)))?.checkpoint?.S;
  }

  getRuns(keys: readonly OccurrenceKey[]): Promise<readonly RunRecord[]> {
    return batchGetRuns(this.#table, keys);
  }

  recordMissed(key: OccurrenceKey, cause: string, now: number): Promise<boolean> {
    const attributes = { status: s('missed'), cause: s(shorten(cause, TEXT_LIMIT)), trigger: s('schedule') };
    return this.#putNew(key, attributes, now);
  }

  closeExhausted(run: RunRecord, now: number): Promise<boolean> {
    return this.close(run, { cause: 'exhausted', deadBefore: deadBefore(now, DEFAULT_LEASE_TIMES) }, now);
  }

  /** Writes a run that nobody has claimed. True as well when it stands there from this very call: a lost response. */
  async #putNew(key: OccurrenceKey, attributes: Item, now: number): Promise<boolean> {
    const item = { fencingToken: ZERO, attempts: ZERO, updatedAt: n(now), expiresAt: this.#expiresAt(now) };
    const refused = await this.#table.putIfAbsent({ ...runItemKey(key), ...attributes, ...item });
    if (refused === undefined) return true;
    const found = await this.#table.refusing(refused, key);
    return found?.fencingToken === 0 && found.status === attributes.status?.S && found.updatedAt === now;
  }

  #expiresAt(now: number, retentionMs = this.#retentionMs): AttributeValue {
    return n(Math.floor((now + retentionMs) / 1000));
  }
}
