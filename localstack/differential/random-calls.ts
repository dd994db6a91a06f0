import {
  BUFFER,
  CLAIM,
  CLOSE,
  END,
  type Expression,
  PAUSE,
  PUT_IF_ABSENT,
  REQUEST_CANCEL,
  renewWith,
  SKIP,
  takeTurnWith,
} from '../../lib/adapters/dynamodb-run-store/run-expressions.ts';
import type { Random } from './random.ts';
import { type Attribute, type Attributes, freeCondition, runAttributes, valuesOf } from './random-values.ts';

export const TABLE = 'differential-runs';

export interface Call {
  readonly kind: string;
  readonly operation: string;
  readonly body: { readonly [key: string]: unknown };
}

/** The emulator remembers tokens for ten minutes, so another run needs others. */
const THIS_RUN = Date.now().toString(36);
const JOBS = ['heartbeat', 'db-cleanup'];

/** The writes of the run protocol, word for word as the adapter sends them. */
const WRITES: readonly {
  readonly kind: string;
  readonly expression: Omit<Expression, 'ConditionExpression'> & Partial<Expression>;
}[] = [
  { kind: 'claim', expression: CLAIM },
  ...Object.entries(END).map(([name, expression]) => ({ kind: `end ${name}`, expression })),
  ...Object.entries(CLOSE).map(([name, expression]) => ({ kind: `close ${name}`, expression })),
  ...Object.entries(BUFFER).map(([name, expression]) => ({ kind: `buffer ${name}`, expression })),
  { kind: 'renew', expression: renewWith([]) },
  { kind: 'renew with checkpoint', expression: renewWith(['checkpoint']) },
  { kind: 'skip', expression: SKIP },
  { kind: 'request cancel', expression: REQUEST_CANCEL },
  { kind: 'pause', expression: PAUSE },
  {
    kind: 'take turn, first',
    expression: takeTurnWith({ first: true, window: false, unbuffer: false, unlessPaused: false }),
  },
  { kind: 'take turn', expression: takeTurnWith({ first: false, window: true, unbuffer: true, unlessPaused: true }) },
];

/** One call of the kinds that Belfry and its handlers make, some of them wrong. */
export function randomCall(random: Random, number: number): Call {
  const chosen = random.integer(100);
  if (chosen < 42) return protocolWrite(random);
  if (chosen < 52) return conditionalPut(random);
  if (chosen < 60) return freeUpdate(random);
  if (chosen < 64) return conditionalDelete(random);
  if (chosen < 80) return transaction(random, number);
  if (chosen < 94) return read(random);
  return wrongCall(random);
}

/** Calls that all want the same item at once, of which one may win. */
export function randomRace(random: Random, contenders: number): Call[] {
  const Key = runKey(random, 1_000_000);
  return Array.from({ length: contenders }, (_, contender) => {
    const { UpdateExpression, ConditionExpression, ExpressionAttributeNames } = CLAIM;
    const body = {
      TableName: TABLE,
      Key,
      UpdateExpression,
      ConditionExpression,
      ExpressionAttributeNames,
      // Nobody's lease is over, so the first one to come keeps the run.
      ExpressionAttributeValues: {
        ...valuesOf(random, CLAIM),
        ':claimToken': { S: `contender-${contender}` },
        ':deadBefore': { N: '0' },
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    if (contender % 3 !== 2) return { kind: 'race of claims', operation: 'UpdateItem', body };
    return {
      kind: 'race of transactions',
      operation: 'TransactWriteItems',
      body: { TransactItems: [{ Update: body }] },
    };
  });
}

/** A transaction that was carried out comes again: as it was, or its token with another content. */
export function again(random: Random, { operation, body }: Call): Call {
  if (random.onceIn(2)) return { kind: 'transaction again', operation, body };
  return { kind: 'token again', operation, body: { ...body, TransactItems: [transactItem(random)] } };
}

function protocolWrite(random: Random): Call {
  const { kind, expression } = random.onceIn(3) ? { kind: 'claim', expression: CLAIM } : random.pick(WRITES);
  const isTurn = /turn|buffer|pause/.test(kind);
  const Key = isTurn ? { pk: { S: `J#${random.pick(JOBS)}` }, sk: { S: '$' } } : runKey(random);
  return {
    kind,
    operation: 'UpdateItem',
    body: {
      TableName: TABLE,
      Key,
      ...expression,
      ExpressionAttributeValues: valuesOf(random, expression),
      ...(random.onceIn(4) ? {} : { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      ReturnValues: random.pick(['NONE', 'ALL_NEW', 'ALL_OLD', 'UPDATED_NEW', 'UPDATED_OLD']),
    },
  };
}

function conditionalPut(random: Random): Call {
  const Item = { ...runKey(random), ...runAttributes(random) };
  const condition = random.onceIn(2) ? PUT_IF_ABSENT : freeCondition(random);
  return {
    kind: 'put',
    operation: 'PutItem',
    body: {
      TableName: TABLE,
      Item,
      ...condition,
      ...returning(random),
      ReturnValues: random.pick(['NONE', 'ALL_OLD']),
    },
  };
}

function freeUpdate(random: Random): Call {
  const UpdateExpression = random.pick([
    'SET attempts = if_not_exists(attempts, :one) + :one',
    'ADD attempts :one SET claimToken = :prefix',
    'SET attempts = attempts - :one REMOVE claimToken',
    'REMOVE claimToken, checkpoint',
    'ADD fencingToken :one',
  ]);
  const condition = freeCondition(random, UpdateExpression);
  return {
    kind: 'update',
    operation: 'UpdateItem',
    body: {
      TableName: TABLE,
      Key: runKey(random),
      UpdateExpression,
      ...condition,
      ...returning(random),
      ReturnValues: random.pick(['NONE', 'ALL_NEW', 'UPDATED_NEW']),
    },
  };
}

function conditionalDelete(random: Random): Call {
  const body = {
    TableName: TABLE,
    Key: runKey(random),
    ...freeCondition(random),
    ...returning(random),
    ReturnValues: 'ALL_OLD',
  };
  return { kind: 'delete', operation: 'DeleteItem', body };
}

function transaction(random: Random, number: number): Call {
  const count = 1 + random.integer(4);
  const TransactItems = Array.from({ length: count }, () => transactItem(random));
  const token = random.onceIn(2) ? { ClientRequestToken: `${THIS_RUN}-${number}` } : {};
  return { kind: 'transaction', operation: 'TransactWriteItems', body: { TransactItems, ...token } };
}

function transactItem(random: Random): object {
  const common = { TableName: TABLE, ...(random.onceIn(2) ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}) };
  switch (random.integer(4)) {
    case 0: {
      const condition = random.onceIn(2) ? PUT_IF_ABSENT : freeCondition(random);
      return { Put: { ...common, Item: { ...runKey(random), ...runAttributes(random) }, ...condition } };
    }
    case 1: {
      const { expression } = random.pick(WRITES.slice(0, 14));
      return {
        Update: {
          ...common,
          Key: runKey(random),
          ...expression,
          ExpressionAttributeValues: valuesOf(random, expression),
        },
      };
    }
    case 2:
      return { Delete: { ...common, Key: runKey(random), ...freeCondition(random) } };
    default:
      return { ConditionCheck: { ...common, Key: runKey(random), ...freeCondition(random) } };
  }
}

function read(random: Random): Call {
  const pk = { S: `J#${random.pick(JOBS)}` };
  switch (random.integer(4)) {
    case 0:
      return {
        kind: 'get',
        operation: 'GetItem',
        body: { TableName: TABLE, Key: runKey(random), ConsistentRead: true },
      };
    case 1: {
      const unique = new Map(Array.from({ length: 4 }, () => runKey(random)).map((key) => [JSON.stringify(key), key]));
      const RequestItems = { [TABLE]: { Keys: [...unique.values()], ConsistentRead: true } };
      return { kind: 'batch get', operation: 'BatchGetItem', body: { RequestItems } };
    }
    case 2: {
      const TransactItems = [
        { Get: { TableName: TABLE, Key: runKey(random) } },
        { Get: { TableName: TABLE, Key: runKey(random) } },
      ];
      return { kind: 'transact get', operation: 'TransactGetItems', body: { TransactItems } };
    }
    default: {
      const [KeyConditionExpression, range] = random.pick<readonly [string, Attributes]>([
        ['pk = :pk', {}],
        [
          'pk = :pk AND sk BETWEEN :from AND :to',
          { ':from': { S: 'R#2026-11-01T00:03' }, ':to': { S: 'R#2026-11-01T00:08' } },
        ],
        ['pk = :pk AND begins_with(sk, :from)', { ':from': { S: 'R#' } }],
      ]);
      return {
        kind: 'query',
        operation: 'Query',
        body: {
          TableName: TABLE,
          KeyConditionExpression,
          ExpressionAttributeValues: { ':pk': pk, ...range },
          ConsistentRead: true,
          ScanIndexForward: random.onceIn(2),
          ...(random.onceIn(2) ? { Limit: 1 + random.integer(5) } : {}),
        },
      };
    }
  }
}

/** What a mistake in an adapter would look like: refused everywhere, and for the same reason. */
function wrongCall(random: Random): Call {
  const Key = runKey(random);
  const wrong = [
    { operation: 'GetItem', body: { TableName: 'differential-nowhere', Key } },
    { operation: 'GetItem', body: { TableName: TABLE, Key: { pk: Key.pk } } },
    { operation: 'PutItem', body: { TableName: TABLE, Item: { pk: Key.pk } } },
    { operation: 'PutItem', body: { TableName: TABLE, Item: { ...Key, pk: { N: '1' } } } },
    {
      operation: 'UpdateItem',
      body: { TableName: TABLE, Key, UpdateExpression: 'SET #a = :a', ExpressionAttributeNames: { '#a': 'a' } },
    },
    {
      operation: 'UpdateItem',
      body: {
        TableName: TABLE,
        Key,
        UpdateExpression: 'SET status = :a',
        ExpressionAttributeValues: { ':a': { S: 'x' } },
      },
    },
    {
      operation: 'UpdateItem',
      body: { TableName: TABLE, Key, UpdateExpression: 'SET pk = :a', ExpressionAttributeValues: { ':a': { S: 'x' } } },
    },
    {
      operation: 'UpdateItem',
      body: {
        TableName: TABLE,
        Key,
        UpdateExpression: 'SET a = missing + :a',
        ExpressionAttributeValues: { ':a': { N: '1' } },
      },
    },
    { operation: 'DeleteItem', body: { TableName: TABLE, Key, ConditionExpression: 'attribute_exists(' } },
    { operation: 'TransactWriteItems', body: { TransactItems: [] } },
    {
      operation: 'TransactWriteItems',
      body: { TransactItems: [{ Delete: { TableName: TABLE, Key } }, { Delete: { TableName: TABLE, Key } }] },
    },
  ];
  return { kind: 'mistake', ...random.pick(wrong) };
}

function runKey(random: Random, minutes = 12): { readonly pk: Attribute; readonly sk: Attribute } {
  const minute = new Date(Date.UTC(2026, 10, 1, 0, random.integer(minutes)));
  return { pk: { S: `J#${random.pick(JOBS)}` }, sk: { S: `R#${minute.toISOString().slice(0, 19)}Z` } };
}

function returning(random: Random): object {
  return random.onceIn(2) ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {};
}
