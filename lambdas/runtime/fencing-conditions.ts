import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export interface FencedWrite {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, AttributeValue>;
}

/**
 * The condition for a DynamoDB write outside `run.commit`: refused once the item has been written under a higher fencing
 * token. The write itself must store `fencingToken` in the same attribute.
 * @param attribute Where the item keeps the token. Default `fencingToken`.
 */
export function dynamoDbFence(run: { readonly fencingToken: number }, attribute = 'fencingToken'): FencedWrite {
  return {
    ConditionExpression: 'attribute_not_exists(#belfryFence) OR #belfryFence <= :belfryFence',
    ExpressionAttributeNames: { '#belfryFence': attribute },
    ExpressionAttributeValues: { ':belfryFence': { N: String(run.fencingToken) } },
  };
}

export interface SqlFence {
  /** To be joined to the statement's WHERE clause with AND. */
  readonly text: string;
  readonly values: readonly number[];
}

/**
 * The same for SQL: no row is changed once one has been written under a higher token. Zero changed rows mean fenced.
 * @param placeholder As the driver writes its parameter: `$3`, `?`, `:fence`. Default `?`.
 * @param column Where the row keeps the token. Default `fencing_token`.
 */
export function sqlFence(
  run: { readonly fencingToken: number },
  { placeholder = '?', column = 'fencing_token' }: { readonly placeholder?: string; readonly column?: string } = {},
): SqlFence {
  return { text: `(${column} IS NULL OR ${column} <= ${placeholder})`, values: [run.fencingToken] };
}
