import { createHash } from 'node:crypto';
import {
  type AttributeValue,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { BelfryError } from '../../domain/errors.ts';
import type { CommitAnswer } from '../../domain/ports.ts';
import type { Claim } from '../../domain/run/run-record.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import type { Expression } from './run-expressions.ts';
import { runItemKey } from './run-item.ts';
import type { RunTable } from './run-table.ts';
import { Refused, translate } from './store-errors.ts';

/** Cancellations that say nothing about the data: the same transaction may succeed a moment later. */
const PASSING = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

export interface Completion {
  readonly claim: Claim;
  readonly expression: Expression;
  readonly values: Record<string, AttributeValue>;
  readonly effects: readonly TransactWriteItem[];
}

/**
 * One transaction: the run's completion first, then the handler's own items. Its token depends on the claim and on what
 * is written, so a request that is sent again is the same transaction, and what follows a refusal is another.
 * @returns `Refused` when the completion's condition failed.
 */
export async function commitTransaction(
  { client, tableName: TableName }: RunTable,
  { claim, expression, values, effects }: Completion,
): Promise<CommitAnswer | Refused> {
  const { UpdateExpression, ConditionExpression, ExpressionAttributeNames } = expression;
  const completion = {
    TableName,
    Key: runItemKey(claim),
    UpdateExpression,
    ConditionExpression,
    ExpressionAttributeNames,
    ExpressionAttributeValues: values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  const request = new TransactWriteItemsCommand({
    ClientRequestToken: transactionToken(claim, [values, effects]),
    TransactItems: [{ Update: completion }, ...effects],
  });
  try {
    await client.send(request);
    return { outcome: 'written' };
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw translate(error);
    const reasons = error.CancellationReasons ?? [];
    if (reasons[0]?.Code === 'ConditionalCheckFailed') return new Refused(reasons[0].Item);
    const passing = reasons.find(({ Code }) => Code !== undefined && PASSING.has(Code));
    if (passing !== undefined) {
      throw new BelfryError('StoreUnavailable', `the transaction was cancelled: ${passing.Code}`, { cause: error });
    }
    return { outcome: 'refused', reasons: reasons.slice(1).map(({ Code }) => Code ?? 'None') };
  }
}

function transactionToken({ job, scheduledTime, fencingToken, claimToken }: Claim, content: object): string {
  const identity = [job, formatInstant(scheduledTime), fencingToken, claimToken, JSON.stringify(content)].join('|');
  return createHash('sha256').update(identity).digest('base64url').slice(0, 36);
}
