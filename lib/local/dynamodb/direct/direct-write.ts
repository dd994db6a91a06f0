import dynalite, { type DynaliteTable } from 'dynalite/db/index.js';
import type { Change, DynamoDbStore } from '../dynamodb-store.ts';
import type { Item } from '../expression/attribute-value.ts';
import { holds, parseCondition } from '../expression/condition.ts';
import { ExpressionError, Placeholders } from '../expression/tokens.ts';
import { applyUpdate, parseUpdate } from '../expression/update.ts';
import type { Answer, WriteRequest } from '../front-types.ts';
import { isPlain } from '../plain-value.ts';
import { plainKey } from './plain-key.ts';

/** As JSON an item is never shorter than DynamoDB counts it. */
const LARGEST_JSON = 400 * 1024;

export type WriteOperation = 'PutItem' | 'UpdateItem' | 'DeleteItem';

/**
 * Carries out a write whose form has been found valid. Undefined, with nothing written, when only dynalite can say whether
 * its result is. The item has to be held.
 */
export async function directWrite(
  store: DynamoDbStore,
  operation: WriteOperation,
  request: WriteRequest,
): Promise<Answer | undefined> {
  const { ReturnValues = 'NONE' } = request;
  const change = changeOf(store, operation, request);
  if (change === undefined) return undefined;
  if (change === 'refused') return CONDITION_FAILED;
  await store.write([change]);
  const returned = ReturnValues === 'ALL_OLD' ? change.before : ReturnValues === 'ALL_NEW' ? change.after : undefined;
  const body = returned === undefined ? {} : { Attributes: returned };
  return change.after === undefined ? { status: 200, body } : { status: 200, body, stored: change.after };
}

function changeOf(
  store: DynamoDbStore,
  operation: WriteOperation,
  request: WriteRequest,
): Change | 'refused' | undefined {
  const { ReturnValues = 'NONE' } = request;
  if (ReturnValues !== 'NONE' && ReturnValues !== 'ALL_OLD' && ReturnValues !== 'ALL_NEW') return undefined;
  const table = store.table(request.TableName);
  const key = table && plainKey(table, operation === 'PutItem' ? request.Item : request.Key, operation !== 'PutItem');
  if (table === undefined || key === undefined) return undefined;
  const before = store.get(key);
  try {
    const placeholders = new Placeholders(request.ExpressionAttributeNames, request.ExpressionAttributeValues);
    const { ConditionExpression } = request;
    const meets = ConditionExpression === undefined || holds(parseCondition(ConditionExpression, placeholders), before);
    // An item that is too large is refused before its condition is judged.
    const after = meets || operation === 'PutItem' ? resultOf(operation, request, placeholders, before) : before;
    const json = after === undefined ? undefined : JSON.stringify(after);
    if (after !== undefined && !fits(table, after, json)) return undefined;
    return meets ? { table, key, before, after, json } : 'refused';
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

function resultOf(
  operation: WriteOperation,
  request: WriteRequest,
  placeholders: Placeholders,
  before: Item | undefined,
): Item | undefined {
  if (operation === 'DeleteItem') return undefined;
  if (operation === 'PutItem') return request.Item;
  const update = parseUpdate(request.UpdateExpression ?? '', placeholders);
  const after = applyUpdate(update, before ?? request.Key ?? {});
  const changed = update.map(({ path }) => after[String(path[0])]);
  if (changed.some((value) => value !== undefined && !isPlain(value))) throw new ExpressionError('to be looked at');
  return after;
}

/** Whether an item may be stored: it is small enough, and can stand in the table's indexes. */
function fits(table: DynaliteTable, after: Item, json = ''): boolean {
  if (json.length > LARGEST_JSON) return false;
  const { GlobalSecondaryIndexes, LocalSecondaryIndexes } = table;
  if (GlobalSecondaryIndexes === undefined && LocalSecondaryIndexes === undefined) return true;
  return !(dynalite.validateItem(after, table) instanceof Error);
}

const CONDITION_FAILED: Answer = {
  status: 400,
  body: {
    __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    message: 'The conditional request failed',
  },
};
