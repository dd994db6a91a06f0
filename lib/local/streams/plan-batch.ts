import type { StreamResource } from '../assembly/resources.ts';
import type { InvocationOutcome } from '../lambda/invocation-outcome.ts';
import type { StreamRecord } from './stream-record.ts';

/** Where a function is with the records at the head of its stream. */
export interface BatchState {
  /** Most records of the next batch. */
  readonly size: number;
  /** How often the records at the head have failed. */
  readonly failures: number;
}

export interface BatchPlan {
  /** So many records from the head are done with. */
  readonly done: number;
  /** So many after those are given up, and go to the on-failure destination. */
  readonly discarded: number;
  readonly condition?: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
  readonly state: BatchState;
  /** How long to wait before the next batch, milliseconds. */
  readonly waitMs: number;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** What an invocation with this batch means for the stream: records stay in order, so nothing overtakes one that fails. */
export function planBatch(
  batch: readonly StreamRecord[],
  outcome: Pick<InvocationOutcome, 'ok' | 'payload'>,
  { size, failures }: BatchState,
  stream: StreamResource,
  now: number,
): BatchPlan {
  const done = outcome.ok ? doneOf(batch, outcome.payload, stream) : 0;
  const fresh = { size: stream.batchSize, failures: 0 };
  if (done === batch.length) return { done, discarded: 0, state: fresh, waitMs: 0 };
  // Who got further begins to count anew.
  const failed = done > 0 ? 1 : failures + 1;
  const left = batch.length - done;
  if (stream.bisects && left > 1 && !outcome.ok) {
    const halved = Math.ceil(Math.min(size, left) / 2);
    return { done, discarded: 0, state: { size: halved, failures: failed }, waitMs: waitAfter(failed) };
  }
  const oldest = (batch[done]?.dynamodb.ApproximateCreationDateTime ?? 0) * 1_000;
  const isOld = now - oldest > stream.maximumRecordAgeMs;
  if (failed > stream.maximumRetryAttempts || isOld) {
    const condition = isOld ? 'RecordAgeExceeded' : 'RetryAttemptsExhausted';
    return { done, discarded: left, condition, state: fresh, waitMs: 0 };
  }
  return { done, discarded: 0, state: { size, failures: failed }, waitMs: waitAfter(failed) };
}

function waitAfter(failures: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
}

/** With partial answers the function says which record is the first that it could not take. */
function doneOf(batch: readonly StreamRecord[], payload: string, { reportsFailures }: StreamResource): number {
  if (!reportsFailures) return batch.length;
  const answer = parsed(payload);
  const failed = new Set((answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  if (failed.size === 0) return batch.length;
  const first = batch.findIndex(({ dynamodb }) => failed.has(dynamodb.SequenceNumber));
  // A record that is not of the batch: Lambda takes the whole batch for failed.
  return Math.max(0, first);
}

function parsed(payload: string) {
  try {
    return JSON.parse(payload) as {
      readonly batchItemFailures?: readonly { readonly itemIdentifier?: string }[];
    } | null;
  } catch {
    return null;
  }
}
