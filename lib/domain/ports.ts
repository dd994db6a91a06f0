import type { OccurrenceKey } from './contract/occurrence-key.ts';
import type { Trigger } from './job.ts';
import type { Claim, FinishedStatus, RunRecord, TurnRecord } from './run/run-record.ts';

/** Everything that tells the time. Epoch milliseconds. Nothing in the domain reads the clock: callers pass an instant in. */
export interface Clock {
  now(): number;
}

/** Waiting. Apart from `Clock`, because a clock may be virtual while an invocation's time left is real. */
export interface Timers {
  /** A counter of real milliseconds; only differences mean anything. */
  elapsed(): number;
  /** Calls back once after so many real milliseconds. Returns how to cancel it. */
  after(ms: number, callback: () => void): () => void;
  /** Resolves when the clock has reached `instant`. */
  sleepUntil(instant: number): Promise<void>;
}

export interface ClaimRequest extends OccurrenceKey {
  /** Fresh for every invocation: neither the request id nor anything else that a duplicate shares. */
  readonly claimToken: string;
  readonly now: number;
  readonly leaseExpiresAt: number;
  /** A lease that expired before this instant may be taken over. */
  readonly deadBefore: number;
  readonly maxAttempts: number;
  readonly trigger: Trigger;
  readonly revision: string;
  /** How long the record is kept from now on. Default: the store's. */
  readonly retentionMs?: number;
}

/** Not getting a claim is an answer, not an error. */
export type ClaimAnswer =
  | { readonly outcome: 'claimed'; readonly claim: Claim }
  | { readonly outcome: 'busy'; readonly run: RunRecord }
  | { readonly outcome: 'early'; readonly run: RunRecord }
  | { readonly outcome: 'done'; readonly status: FinishedStatus; readonly run: RunRecord }
  /** All attempts were used; this request closed the run as failed. */
  | { readonly outcome: 'exhausted'; readonly run: RunRecord };

/** `fenced`: the claim is no longer the run's, nothing was written. */
export type OwnerAnswer = 'written' | 'fenced';

export type CommitAnswer =
  | { readonly outcome: 'written' }
  | { readonly outcome: 'fenced' }
  /** A condition of the handler's own items failed, nothing was written and the run goes on. `reasons` by item. */
  | { readonly outcome: 'refused'; readonly reasons: readonly string[] };

/** How an attempt leaves its run. */
export type Ending =
  | { readonly status: 'succeeded'; readonly result?: string }
  | { readonly status: 'failed' | 'timedOut'; readonly error: string; readonly cause?: string }
  /** Another attempt follows. */
  | { readonly status: 'pending'; readonly nextAttemptAt: number; readonly error: string }
  /** The same attempt goes on in another invocation. */
  | { readonly status: 'continuing'; readonly nextAttemptAt: number; readonly checkpoint?: string }
  /** Somebody else has the turn: gives back the attempt, unused. */
  | { readonly status: 'yielded'; readonly nextAttemptAt: number }
  | { readonly status: 'skipped'; readonly cause: string };

export interface Skip {
  readonly cause: string;
  readonly trigger: Trigger;
  /** Skips it also if it waits and was never claimed. */
  readonly evenIfQueued: boolean;
}

export interface Closing {
  readonly cause: string;
  /** A lease that expired before this instant is dead. */
  readonly deadBefore: number;
  /** Takes the place of the run's claim token, so that whoever closed it knows. Default: one made of the instant. */
  readonly token?: string;
}

/** What a run has saved. One that arrives after a later one changes nothing. */
export interface NumberedCheckpoint {
  readonly text: string;
  /** Grows with every save of the run. */
  readonly number: number;
}

export interface Renewal {
  readonly leaseExpiresAt: number;
  readonly checkpoint?: NumberedCheckpoint;
  readonly progress?: string;
}

export interface TurnToTake {
  readonly seen: TurnRecord;
  readonly windowFrom?: number;
  /** `seen` was not read for this run: then it is refused as well where the job has a pause. Default: false */
  readonly remembered?: boolean;
}

/**
 * The run records, and whose turn it is. Every method is one conditional request (two when the first was refused and the
 * store does not say why), so any of them may be repeated, lost or late.
 * A request that could not be made is an error: `StoreUnavailable` when trying again may help.
 */
export interface RunStore<Effect = unknown> {
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** Extends the lease and saves what comes with it. */
  renew(claim: Claim, renewal: Renewal, now: number): Promise<OwnerAnswer>;
  end(claim: Claim, ending: Ending, now: number): Promise<OwnerAnswer>;
  /** Ends the run as succeeded and applies the effects, both or neither. */
  commit(claim: Claim, effects: readonly Effect[], result: string | undefined, now: number): Promise<CommitAnswer>;

  getRun(key: OccurrenceKey): Promise<RunRecord | undefined>;
  getTurn(job: string): Promise<TurnRecord>;
  /** Gives the turn to the claimed run, if nobody took it since version `seen`. */
  takeTurn(claim: Claim, turn: TurnToTake, now: number): Promise<boolean>;
  /** Makes the run the one that waits for the turn, if the turn and its queue are as seen. */
  buffer(key: OccurrenceKey, seen: TurnRecord, now: number): Promise<boolean>;

  /** Notes in the turn up to where runs have succeeded, if nobody took it since: its holder's record may be gone one day. */
  noteSuccess(seen: TurnRecord, through: number, now: number): Promise<void>;

  /** Lets no scheduled run of the job start until a person resumes it. */
  pause(job: string, pause: { readonly by: string; readonly note: string }, now: number): Promise<void>;

  /** Records a run that will not be carried out, if it has no record. False: it has another one. */
  skip(key: OccurrenceKey, skip: Skip, now: number): Promise<boolean>;
  /** Records a run that waits, if it has no record. False: it has one. */
  queue(
    key: OccurrenceKey,
    queue: { readonly nextAttemptAt: number; readonly trigger: Trigger },
    now: number,
  ): Promise<boolean>;
  /** Asks the attempt that runs to stop. False: it is not running any more. */
  requestCancel(run: RunRecord, now: number): Promise<boolean>;
  /**
   * Closes a run that only waits, or whose lease expired before `deadBefore`, as failed. False: it moved meanwhile, or
   * somebody else closed it.
   */
  close(run: RunRecord, closing: Closing, now: number): Promise<boolean>;

  saveLargeCheckpoint(claim: Claim, checkpoint: NumberedCheckpoint, now: number): Promise<void>;
  loadLargeCheckpoint(key: OccurrenceKey, fencingToken: number): Promise<string | undefined>;
}

/** What the watchdog needs of the run records. */
export interface WatchdogRunStore extends Pick<RunStore, 'skip' | 'close'> {
  /** The records that exist, in no order. Strongly consistent. */
  getRuns(keys: readonly OccurrenceKey[]): Promise<readonly RunRecord[]>;
  /** Gives an occurrence without a record the disposition `missed`. False: it has a record. */
  recordMissed(key: OccurrenceKey, cause: string, now: number): Promise<boolean>;
  /** Closes a run of which no attempt is left as failed, unless it moved since `run` was read or somebody else did. */
  closeExhausted(run: RunRecord, now: number): Promise<boolean>;
}

/** Arms one delivery of an occurrence at an instant. A hint only: the record and the watchdog carry the truth. */
export interface WakeUps {
  /** Arming the same wake-up again changes nothing. */
  arm(wakeUp: WakeUp): Promise<void>;
}

export interface WakeUp extends OccurrenceKey {
  readonly at: number;
  readonly trigger: Trigger;
  readonly revision?: string;
  /** With the run's key it names the wake-up: 1 to 12 letters and digits. */
  readonly purpose: string;
  /** Where the delivery goes, as the invocation knows itself. */
  readonly target: string;
}
