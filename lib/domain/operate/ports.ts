import type { OccurrenceKey } from '../contract/occurrence-key.ts';
import type { Trigger } from '../job.ts';
import type { RunRecord, TurnRecord } from '../run/run-record.ts';

/** Who asks, and why. When is the `now` beside it. */
export interface OperatorRequest {
  readonly by: string;
  readonly note?: string;
}

/**
 * What a person may write beside the run protocol. Each is one conditional write that also says who asked, why and when;
 * false: the record was not in the state that allows it, and is as it was.
 */
export interface OperatorStore {
  getRuns(keys: readonly OccurrenceKey[]): Promise<readonly RunRecord[]>;
  getTurn(job: string): Promise<TurnRecord>;
  /** Lets no scheduled run start until the job is resumed. False: it is paused already. */
  pause(job: string, request: OperatorRequest, now: number): Promise<boolean>;
  /** False: it is not paused. */
  resume(job: string, request: OperatorRequest, now: number): Promise<boolean>;
  /** Records as skipped what has no record, or only waits and was never claimed. */
  skip(key: OccurrenceKey, request: OperatorRequest, now: number): Promise<boolean>;
  /** Records a run that waits to be delivered. False: it has a record. */
  request(key: OccurrenceKey, request: OperatorRequest & { readonly trigger: Trigger }, now: number): Promise<boolean>;
  /** Takes back what `request` wrote at `now`, if nothing has happened to it. */
  withdraw(key: OccurrenceKey, now: number): Promise<void>;
}
