import database, { type DynaliteTable } from 'dynalite/db/index.js';
import type { DynaliteEngine } from './dynalite-engine.ts';
import type { Change, DynamoDbStore } from './dynamodb-store.ts';
import type { Item } from './expression/attribute-value.ts';
import { holds, parseCondition } from './expression/condition.ts';
import { ExpressionError, Placeholders } from './expression/tokens.ts';
import { applyUpdate, parseUpdate, type Update } from './expression/update.ts';
import { type Answer, ApiError, type Body, invalid, type WriteRequest } from './front-types.ts';
import type { KeyedMutex } from './keyed-mutex.ts';
import type { Place, TableKeys } from './table-keys.ts';

const MOST_ACTIONS = 100;
const KINDS = ['Put', 'Update', 'Delete', 'ConditionCheck'] as const;
type Kind = (typeof KINDS)[number];

interface Action {
  readonly kind: Kind;
  readonly request: WriteRequest;
  readonly place: Place;
  readonly condition: ((item: Item | undefined) => boolean) | undefined;
  readonly update: Update | undefined;
}

interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

export interface Transacting {
  readonly store: DynamoDbStore;
  readonly dynalite: DynaliteEngine;
  readonly tableKeys: TableKeys;
  readonly mutex: KeyedMutex;
  readonly onWritten: (place: Place, item: Item) => void;
}

/**
 * Carries out a TransactWriteItems request: with all its items held, every condition is judged on what is stored; only if
 * all hold, the results are written, in one batch of the store.
 * @throws ApiError; Error when the store fails
 */
export async function transactWrite(transacting: Transacting, body: Body): Promise<Answer> {
  const { store, dynalite, tableKeys, mutex, onWritten } = transacting;
  const actions = parseActions(tableKeys, body.TransactItems);
  const locks = actions.map(({ place }) => place.storageKey);
  if (new Set(locks).size < locks.length)
    throw invalid('Transaction request cannot include multiple operations on one item');
  return mutex.hold(locks, async () => {
    const judged = actions.map((action) => judge(dynalite, action, store.get(action.place.storageKey)));
    if (judged.some(({ reason }) => reason.Code !== 'None')) throw cancelled(judged.map(({ reason }) => reason));
    await store.write(judged.flatMap(({ change }) => change ?? []));
    for (const [index, { change }] of judged.entries()) {
      const action = actions[index];
      if (change?.after !== undefined && action !== undefined) onWritten(action.place, change.after);
    }
    return { status: 200, body: {} };
  });
}

function parseActions(tableKeys: TableKeys, items: unknown): Action[] {
  if (!Array.isArray(items) || items.length === 0 || items.length > MOST_ACTIONS) {
    throw invalid(
      `1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to ${MOST_ACTIONS}, greater than or equal to 1`,
    );
  }
  const actions: Action[] = [];
  for (const item of items as readonly Partial<Record<Kind, WriteRequest>>[]) {
    const kinds = KINDS.filter((kind) => item[kind] !== undefined);
    const [kind] = kinds;
    const request = kind === undefined ? undefined : item[kind];
    if (kind === undefined || request === undefined || kinds.length > 1) {
      throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
    }
    actions.push(parseAction(tableKeys, kind, request));
  }
  return actions;
}

function parseAction(tableKeys: TableKeys, kind: Kind, request: WriteRequest): Action {
  const { ConditionExpression, UpdateExpression } = request;
  if (kind === 'ConditionCheck' && ConditionExpression === undefined) {
    throw invalid('The expression can not be empty; ConditionExpression is required for a ConditionCheck');
  }
  if (kind === 'Update' && UpdateExpression === undefined) throw invalid('UpdateExpression is required for an Update');
  const placeholders = new Placeholders(request.ExpressionAttributeNames, request.ExpressionAttributeValues);
  const place = tableKeys.placeOf(
    request.TableName,
    (kind === 'Put' ? request.Item : request.Key) ?? {},
    kind !== 'Put',
  );
  return asInvalid(() => {
    const condition = ConditionExpression === undefined ? undefined : parseCondition(ConditionExpression, placeholders);
    const update = UpdateExpression === undefined ? undefined : parseUpdate(UpdateExpression, placeholders);
    placeholders.assertAllUsed();
    if (update?.some(({ path }) => Object.hasOwn(place.key, String(path[0])))) {
      throw invalid('One or more parameter values were invalid: Cannot update attribute that is part of the key');
    }
    return { kind, request, place, update, condition: condition && ((item) => holds(condition, item)) };
  });
}

function asInvalid<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw error instanceof ExpressionError ? invalid(error.message) : error;
  }
}

interface Judged {
  readonly reason: Reason;
  /** Undefined when nothing becomes different. */
  readonly change?: Change;
}

function judge(dynalite: DynaliteEngine, action: Action, item: Item | undefined): Judged {
  if (action.condition?.(item) === false) {
    const shown =
      action.request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && item !== undefined ? { Item: item } : {};
    return { reason: { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', ...shown } };
  }
  if (action.kind === 'ConditionCheck') return { reason: { Code: 'None' } };
  const { table, storageKey: key } = action.place;
  try {
    const result = resultOf(action, item);
    if (result === undefined)
      return { reason: { Code: 'None' }, change: { table, key, before: item, after: result, json: undefined } };
    const after = storable(dynalite, table, result);
    return { reason: { Code: 'None' }, change: { table, key, before: item, after, json: JSON.stringify(after) } };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { reason: { Code: 'ValidationError', Message: error.message } };
  }
}

function resultOf({ kind, request, place, update }: Action, item: Item | undefined): Item | undefined {
  switch (kind) {
    case 'Put':
      return request.Item;
    case 'Update':
      return applyUpdate(update ?? [], item ?? place.key);
    case 'Delete':
      return undefined;
    case 'ConditionCheck':
      return item;
  }
}

/**
 * An item as it is stored.
 * @throws ExpressionError when the API would not take it
 */
function storable(dynalite: DynaliteEngine, table: DynaliteTable, item: Item): Item {
  const { TableName } = table;
  const checked = dynalite.check('PutItem', { TableName, Item: item });
  if ('refused' in checked) throw new ExpressionError(String(checked.refused.body.message ?? 'refused'));
  const after = checked.data.Item as Item;
  const misfit = database.validateItem(after, table);
  if (misfit instanceof Error) throw new ExpressionError(misfit.message);
  return after;
}

function cancelled(reasons: readonly Reason[]): ApiError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return new ApiError('TransactionCanceledException', message, { CancellationReasons: reasons });
}
