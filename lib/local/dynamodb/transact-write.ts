import type { Item } from './expression/attribute-value.ts';
import { holds, parseCondition } from './expression/condition.ts';
import { ExpressionError, Placeholders } from './expression/tokens.ts';
import { applyUpdate, parseUpdate, type Update } from './expression/update.ts';
import { type Answer, ApiError, type Body, type Forward, invalid, type WriteRequest } from './front-types.ts';
import type { KeyedMutex } from './keyed-mutex.ts';
import { lockName, type TableKeys } from './table-keys.ts';

const MOST_ACTIONS = 100;
const KINDS = ['Put', 'Update', 'Delete', 'ConditionCheck'] as const;
type Kind = (typeof KINDS)[number];

interface Action {
  readonly kind: Kind;
  readonly request: WriteRequest;
  readonly key: Item;
  readonly condition: ((item: Item | undefined) => boolean) | undefined;
  readonly update: Update | undefined;
}

interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

export interface Transacting {
  readonly forward: Forward;
  readonly tableKeys: TableKeys;
  readonly mutex: KeyedMutex;
}

/**
 * Carries out a TransactWriteItems request: with all its items held, every condition is judged on what is stored; only if
 * all hold, the results are written.
 * @throws ApiError
 */
export async function transactWrite(transacting: Transacting, body: Body): Promise<Answer> {
  const actions = await parseActions(transacting.tableKeys, body.TransactItems);
  const locks = actions.map(({ request, key }) => lockName(request.TableName, key));
  if (new Set(locks).size < locks.length)
    throw invalid('Transaction request cannot include multiple operations on one item');
  return transacting.mutex.hold(locks, async () => {
    const before: (Item | undefined)[] = [];
    for (const action of actions) before.push(await read(transacting.forward, action));
    const after: (Item | undefined)[] = [];
    const reasons = actions.map((action, index): Reason => {
      const judged = judge(action, before[index]);
      after.push(judged.after);
      return judged.reason;
    });
    if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons);
    await writeAll(transacting.forward, actions, before, after);
    return { status: 200, body: {} };
  });
}

async function parseActions(tableKeys: TableKeys, items: unknown): Promise<Action[]> {
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
    actions.push(await parseAction(tableKeys, kind, request));
  }
  return actions;
}

async function parseAction(tableKeys: TableKeys, kind: Kind, request: WriteRequest): Promise<Action> {
  const { ConditionExpression, UpdateExpression } = request;
  if (kind === 'ConditionCheck' && ConditionExpression === undefined) {
    throw invalid('The expression can not be empty; ConditionExpression is required for a ConditionCheck');
  }
  if (kind === 'Update' && UpdateExpression === undefined) throw invalid('UpdateExpression is required for an Update');
  const placeholders = new Placeholders(request.ExpressionAttributeNames, request.ExpressionAttributeValues);
  const key = await tableKeys.keyOf(
    request.TableName,
    (kind === 'Put' ? request.Item : request.Key) ?? {},
    kind !== 'Put',
  );
  return asInvalid(() => {
    const condition = ConditionExpression === undefined ? undefined : parseCondition(ConditionExpression, placeholders);
    const update = UpdateExpression === undefined ? undefined : parseUpdate(UpdateExpression, placeholders);
    placeholders.assertAllUsed();
    if (update?.some(({ path }) => Object.hasOwn(key, String(path[0])))) {
      throw invalid('One or more parameter values were invalid: Cannot update attribute that is part of the key');
    }
    return { kind, request, key, update, condition: condition && ((item) => holds(condition, item)) };
  });
}

function asInvalid<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw error instanceof ExpressionError ? invalid(error.message) : error;
  }
}

async function read(forward: Forward, { request, key }: Action): Promise<Item | undefined> {
  const answer = await forward('GetItem', { TableName: request.TableName, Key: key, ConsistentRead: true });
  if (answer.status !== 200) throw new ApiError('InternalServerError', JSON.stringify(answer.body));
  return answer.body.Item as Item | undefined;
}

function judge(action: Action, item: Item | undefined): { reason: Reason; after: Item | undefined } {
  if (action.condition?.(item) === false) {
    const shown =
      action.request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && item !== undefined ? { Item: item } : {};
    return {
      reason: { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', ...shown },
      after: item,
    };
  }
  try {
    return { reason: { Code: 'None' }, after: resultOf(action, item) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { reason: { Code: 'ValidationError', Message: error.message }, after: item };
  }
}

function resultOf({ kind, request, key, update }: Action, item: Item | undefined): Item | undefined {
  switch (kind) {
    case 'Put':
      return request.Item;
    case 'Update':
      return applyUpdate(update ?? [], item ?? key);
    case 'Delete':
      return undefined;
    case 'ConditionCheck':
      return item;
  }
}

function cancelled(reasons: readonly Reason[]): ApiError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return new ApiError('TransactionCanceledException', message, { CancellationReasons: reasons });
}

/** Writes the results; when the engine refuses one, those before it are put back as they were. */
async function writeAll(
  forward: Forward,
  actions: readonly Action[],
  before: readonly (Item | undefined)[],
  after: readonly (Item | undefined)[],
): Promise<void> {
  for (const [index, action] of actions.entries()) {
    if (action.kind === 'ConditionCheck') continue;
    const answer = await replace(forward, action, after[index]);
    if (answer.status === 200) continue;
    for (let done = index - 1; done >= 0; done--) {
      const written = actions[done];
      if (written !== undefined && written.kind !== 'ConditionCheck') await replace(forward, written, before[done]);
    }
    const message = String(answer.body.message ?? answer.body.Message ?? 'refused');
    throw cancelled(
      actions.map((_, at) => (at === index ? { Code: 'ValidationError', Message: message } : { Code: 'None' })),
    );
  }
}

function replace(forward: Forward, { request, key }: Action, item: Item | undefined): Promise<Answer> {
  const { TableName } = request;
  return item === undefined
    ? forward('DeleteItem', { TableName, Key: key })
    : forward('PutItem', { TableName, Item: item });
}
