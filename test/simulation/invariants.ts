import { readRun, runItemKey } from '../../lib/adapters/dynamodb-run-store/run-item.ts';
import type { OccurrenceKey } from '../../lib/domain/contract/occurrence-key.ts';
import { isFinished, type RunRecord } from '../../lib/domain/run/run-record.ts';
import type { Item } from '../../lib/local/dynamodb/expression/attribute-value.ts';
import type { AppliedWrite, MemoryDynamoDb, WriteInput } from '../support/memory-dynamodb.ts';

/** What must never be: thrown out of the simulated store at the very write. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function violated(what: string, detail: object = {}): never {
  throw new Violation(`${what} ${JSON.stringify(detail)}`);
}

/** Judges a write to a run's item by what the protocol says, not by the condition that let it through. */
export function judgeRunWrite({ input, before, after, values }: AppliedWrite): void {
  if (before === undefined || after === undefined) return;
  const [was, is] = [record(before), record(after)];
  const detail = { was, is };
  if (input.UpdateExpression === undefined) violated('a record was replaced', detail);
  if (isFinished(was) && JSON.stringify(before) !== JSON.stringify(after)) violated('a finished run changed', detail);
  if (is.fencingToken < was.fencingToken) violated('a fencing token fell', detail);
  if ((is.saves ?? 0) < (was.saves ?? 0)) violated('a saved step was taken back', detail);
  const time = (name: string) => Number(values[name]?.N ?? Number.NaN);
  if (is.fencingToken > was.fencingToken) {
    if (is.fencingToken !== was.fencingToken + 1) violated('a fencing token jumped', detail);
    if (is.attempts > time(':maxAttempts')) violated('more attempts than allowed', detail);
    if (was.status === 'pending' && (was.nextAttemptAt ?? 0) > time(':now'))
      violated('an attempt began before it was due', detail);
    if (was.status === 'running' && (was.leaseExpiresAt ?? 0) >= time(':deadBefore'))
      violated('a live lease was taken over', detail);
    return;
  }
  const byOwner = values[':claimToken'] !== undefined && values[':fencingToken'] !== undefined;
  if (byOwner) {
    const owner = was.claimToken === values[':claimToken']?.S && was.fencingToken === time(':fencingToken');
    if (!owner || was.status !== 'running') violated('a write by one who does not own the run', detail);
    return;
  }
  if (is.status === 'skipped' && (was.status !== 'pending' || was.fencingToken > 0))
    violated('a run that had begun was skipped', detail);
  if (is.status === 'failed' && was.status === 'running' && (was.leaseExpiresAt ?? 0) >= time(':deadBefore')) {
    violated('a run was closed under a live lease', detail);
  }
  if (is.status === 'failed' && was.status === 'pending' && was.fencingToken !== time(':fencingToken')) {
    violated('a run was closed that had moved', detail);
  }
}

/** What must be allowed: to begin, to queue or to skip a run that has no record. */
export function judgeRefusal(input: WriteInput, before: Item | undefined): void {
  const ofRun = input.TableName === 'runs' && (input.Key ?? input.Item)?.sk?.S?.startsWith('R#');
  const byOwner = input.ExpressionAttributeValues?.[':fencingToken'] !== undefined;
  const asks = input.ConditionExpression?.includes('attribute_not_exists') === true;
  if (ofRun && before === undefined && asks && !byOwner) violated('a run without a record was refused', { input });
}

/** Judges a write to the turn. `run` reads a run of the job as it is at this moment. */
export function judgeTurnWrite(
  { before, after, values }: AppliedWrite,
  run: (scheduledTime: number) => RunRecord | undefined,
): void {
  if (after === undefined) return;
  const number = (item: Item | undefined, name: string) =>
    item?.[name]?.N === undefined ? undefined : Number(item[name].N);
  const [wasHolder, isHolder] = [number(before, 'holder'), number(after, 'holder')];
  if (wasHolder !== undefined && wasHolder !== isHolder) {
    const left = run(wasHolder);
    if (left !== undefined && !isFinished(left))
      violated('the turn was taken from a run that is not finished', { left, isHolder });
  }
  const [wasBuffered, isBuffered] = [number(before, 'buffered'), number(after, 'buffered')];
  const seen = values[':seen']?.N === undefined ? undefined : Number(values[':seen'].N);
  const replaced = isBuffered !== undefined && wasBuffered !== undefined && wasBuffered !== isBuffered;
  if (replaced && wasBuffered !== seen)
    violated('one that waits was replaced unseen', { wasBuffered, isBuffered, seen });
}

function record(item: Item): RunRecord {
  return readRun(item as Parameters<typeof readRun>[0]);
}

/** The record of a run as it stands in the table now. */
export function recordIn(db: MemoryDynamoDb, key: OccurrenceKey): RunRecord | undefined {
  const item = db.get('runs', runItemKey(key) as Item);
  return item === undefined ? undefined : record(item);
}
