import type { Expression } from '../../lib/adapters/dynamodb-run-store/run-expressions.ts';
import type { Random } from './random.ts';

export type Attribute = { readonly S: string } | { readonly N: string };
export type Attributes = { readonly [name: string]: Attribute };

const STATUSES = ['running', 'pending', 'succeeded', 'failed', 'skipped', 'missed'];
// Few, so that tokens often fit.
const TOKENS = ['alpha', 'gamma'];

const FREE_CONDITIONS = [
  'attribute_exists(pk)',
  'attribute_not_exists(pk)',
  '#status = :status',
  '#status IN (:status, :other) AND attempts >= :attempts',
  'NOT #status = :status OR attribute_not_exists(claimToken)',
  'attempts BETWEEN :attempts AND :most',
  'begins_with(claimToken, :prefix) AND size(claimToken) > :zero',
  'attribute_type(attempts, :type)',
];

/** A run record, in any state. */
export function runAttributes(random: Random): Attributes {
  return {
    status: { S: random.pick(STATUSES) },
    attempts: { N: String(random.integer(4)) },
    fencingToken: { N: String(random.integer(4)) },
    claimToken: { S: random.pick(TOKENS) },
    leaseExpiresAt: { N: String(random.integer(100)) },
    nextAttemptAt: { N: String(random.integer(100)) },
  };
}

const FREE_VALUES: { readonly [name: string]: (random: Random) => Attribute } = {
  ':status': (random) => ({ S: random.pick(STATUSES) }),
  ':other': (random) => ({ S: random.pick(STATUSES) }),
  ':attempts': (random) => ({ N: String(random.integer(4)) }),
  ':most': () => ({ N: '4' }),
  ':prefix': (random) => ({ S: random.pick(['al', 'b', 'gamma']) }),
  ':zero': () => ({ N: '0' }),
  ':one': () => ({ N: '1' }),
  ':type': (random) => ({ S: random.pick(['N', 'S']) }),
};

/** A condition of another kind than the protocol's, with its values and those of an update beside it. */
export function freeCondition(random: Random, update = ''): object {
  const ConditionExpression = random.pick(FREE_CONDITIONS);
  const used = new Set(`${ConditionExpression} ${update}`.match(/:\w+/g));
  return {
    ConditionExpression,
    ...(ConditionExpression.includes('#status') ? { ExpressionAttributeNames: { '#status': 'status' } } : {}),
    ...(used.size === 0
      ? {}
      : {
          ExpressionAttributeValues: Object.fromEntries([...used].map((name) => [name, FREE_VALUES[name]?.(random)])),
        }),
  };
}

const TEXTS = new Set([
  ':claimToken',
  ':token',
  ':trigger',
  ':revision',
  ':result',
  ':error',
  ':cause',
  ':checkpoint',
  ':by',
  ':note',
  ':holder',
  ':buffered',
]);

/** Values for the placeholders of a protocol write, often those that make its condition hold. */
export function valuesOf(
  random: Random,
  { UpdateExpression = '', ConditionExpression = '' }: Partial<Expression>,
): Attributes {
  const used = new Set(`${UpdateExpression} ${ConditionExpression}`.match(/:\w+/g));
  return Object.fromEntries([...used].map((name) => [name, placeholderValue(random, name)]));
}

function placeholderValue(random: Random, name: string): Attribute {
  switch (name) {
    case ':running':
    case ':pending':
      return { S: name.slice(1) };
    case ':status':
      return { S: random.pick(STATUSES) };
    case ':zero':
      return { N: '0' };
    case ':one':
      return { N: '1' };
    case ':maxAttempts':
      return { N: '3' };
    case ':fencingToken':
    case ':seen':
    case ':next':
      return { N: String(1 + random.integer(2)) };
    default:
      return TEXTS.has(name) ? { S: random.pick(TOKENS) } : { N: String(random.integer(100)) };
  }
}
