/*
 * The conditional writes of the run protocol. Statuses along the life of a run, and who may write:
 *
 *   absent ---claim---> running ---end/commit---> succeeded | failed | timedOut | skipped     (finished: nobody)
 *      |                  |  ^
 *      |                  |  +-- claim: when due (pending), or past lease and margin (running)
 *      +--queue---------> pending <--end--+
 *      +--skip, miss----> skipped | missed
 *
 * Only `status` says where a run stands: a lease or a retry instant of the past stays in the item as it was. So every
 * clause below is needed, and a condition never looks at another item.
 */

export interface Expression {
  readonly UpdateExpression?: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
}

/**
 * Joins a condition and an update, with every `#name` in them standing for the attribute of that name. Only single words
 * need the placeholder, because DynamoDB reserves many of them; each one less is less to send.
 */
export function expression(condition: string, update?: string): Expression {
  const names = new Set(`${condition} ${update ?? ''}`.match(/#[a-z]+\b/g));
  return {
    ConditionExpression: plain(condition),
    ...(update === undefined ? {} : { UpdateExpression: plain(update) }),
    ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [name, name.slice(1)])),
  };
}

function plain(text: string): string {
  return text.replaceAll(/#([a-z]+[A-Z]\w*)/g, '$1');
}

export const ABSENT = 'attribute_not_exists(#pk)';
const RETRY_IS_DUE = '#status = :pending AND #nextAttemptAt <= :now AND #attempts < :maxAttempts';
const OWNER_IS_DEAD = '#status = :running AND #leaseExpiresAt < :deadBefore AND #attempts < :maxAttempts';
const MINE = '#fencingToken = :fencingToken AND #claimToken = :claimToken AND #status = :running';

const CLAIM_SETS = [
  '#status = :running',
  '#claimToken = :claimToken',
  '#leaseExpiresAt = :leaseExpiresAt',
  '#claimedAt = if_not_exists(#claimedAt, :now)',
  '#updatedAt = :now',
  '#trigger = if_not_exists(#trigger, :trigger)',
  '#revision = :revision',
  '#expiresAt = :expiresAt',
];

export const CLAIM = expression(
  `${ABSENT} OR (${RETRY_IS_DUE}) OR (${OWNER_IS_DEAD})`,
  `SET ${CLAIM_SETS.join(', ')} ADD #fencingToken :one, #attempts :one REMOVE #error, #cause`,
);

export const END = {
  succeeded: expression(MINE, 'SET #status = :status, #updatedAt = :now REMOVE #checkpoint'),
  succeededWithResult: expression(
    MINE,
    'SET #status = :status, #updatedAt = :now, #result = :result REMOVE #checkpoint',
  ),
  failed: expression(MINE, 'SET #status = :status, #updatedAt = :now, #error = :error REMOVE #checkpoint'),
  failedWithCause: expression(
    MINE,
    'SET #status = :status, #updatedAt = :now, #error = :error, #cause = :cause REMOVE #checkpoint',
  ),
  pending: expression(
    MINE,
    'SET #status = :status, #updatedAt = :now, #nextAttemptAt = :nextAttemptAt, #error = :error',
  ),
  continuing: expression(
    MINE,
    'SET #status = :status, #updatedAt = :now, #nextAttemptAt = :nextAttemptAt, #attempts = #attempts - :one, ' +
      '#segments = if_not_exists(#segments, :zero) + :one',
  ),
  continuingWithCheckpoint: expression(
    MINE,
    'SET #status = :status, #updatedAt = :now, #nextAttemptAt = :nextAttemptAt, #attempts = #attempts - :one, ' +
      '#segments = if_not_exists(#segments, :zero) + :one, #checkpoint = :checkpoint',
  ),
  yielded: expression(
    MINE,
    'SET #status = :status, #updatedAt = :now, #nextAttemptAt = :nextAttemptAt, #attempts = #attempts - :one',
  ),
  skipped: expression(
    MINE,
    'SET #status = :status, #updatedAt = :now, #cause = :cause, #attempts = #attempts - :one REMOVE #checkpoint',
  ),
};

/** A request on its way for long must not take back what was saved since. */
const NOT_SAVED_SINCE = 'attribute_not_exists(#saves) OR #saves < :saves';

export const PUT_NEWER = expression(NOT_SAVED_SINCE);

export function renewWith(attributes: readonly string[]): Expression {
  const sets = [
    '#leaseExpiresAt = :leaseExpiresAt',
    '#updatedAt = :now',
    ...attributes.map((name) => `#${name} = :${name}`),
  ];
  const condition = attributes.includes('saves') ? `${MINE} AND (${NOT_SAVED_SINCE})` : MINE;
  return expression(condition, `SET ${sets.join(', ')}`);
}

/**
 * One that only waits may still be skipped, but not one that was ever claimed: it may have begun, whatever its count of
 * attempts says, which a continuation gives back.
 */
export const SKIP = expression(
  `${ABSENT} OR (#status = :pending AND #fencingToken = :zero)`,
  'SET #status = :status, #updatedAt = :now, #cause = :cause, #trigger = if_not_exists(#trigger, :trigger), ' +
    '#fencingToken = if_not_exists(#fencingToken, :zero), #attempts = if_not_exists(#attempts, :zero), #expiresAt = :expiresAt',
);

export const PUT_IF_ABSENT = expression(ABSENT);

export const REQUEST_CANCEL = expression('#status = :running', 'SET #cancelRequestedAt = :now');

const CLOSE_SETS =
  'SET #status = :status, #claimToken = :token, #updatedAt = :now, #error = :error, #cause = :cause REMOVE #checkpoint';
export const CLOSE = {
  running: expression('#status = :running AND #leaseExpiresAt < :deadBefore', CLOSE_SETS),
  pending: expression('#status = :pending AND #fencingToken = :fencingToken', CLOSE_SETS),
};

const TURN_SETS = 'SET #holder = :holder, #version = :next, #updatedAt = :now';
const TURN_UNCHANGED = '#version = :seen';
const TURN_NEVER_TAKEN = 'attribute_not_exists(#version)';
const NOT_PAUSED = 'attribute_not_exists(#paused)';

/** The way to write a turn, by what was seen of it. */
export function takeTurnWith(seen: {
  readonly first: boolean;
  readonly window: boolean;
  readonly unbuffer: boolean;
  readonly unlessPaused: boolean;
}): Expression {
  const window = seen.window ? ', #windowFrom = :windowFrom' : '';
  const unbuffer = seen.unbuffer ? ' REMOVE #buffered' : '';
  const unchanged = seen.first ? TURN_NEVER_TAKEN : TURN_UNCHANGED;
  const condition = seen.unlessPaused ? `${unchanged} AND ${NOT_PAUSED}` : unchanged;
  return expression(condition, `${TURN_SETS}${window}${unbuffer}`);
}

export const NOTE_SUCCESS = expression(TURN_UNCHANGED, 'SET #windowFrom = :windowFrom, #updatedAt = :now');

export const BUFFER = {
  first: expression('attribute_not_exists(#buffered)', 'SET #buffered = :buffered'),
  instead: expression('#buffered = :seen', 'SET #buffered = :buffered'),
};

/** The only write without a condition: it takes nothing from anybody, and the last one to pause is as good as the first. */
export const PAUSE: Omit<Expression, 'ConditionExpression'> = {
  UpdateExpression: 'SET #paused = :paused, #pausedBy = :by, #pauseNote = :note, #pausedAt = :now, #updatedAt = :now',
  ExpressionAttributeNames: {
    '#paused': 'paused',
    '#pausedBy': 'pausedBy',
    '#pauseNote': 'pauseNote',
    '#pausedAt': 'pausedAt',
    '#updatedAt': 'updatedAt',
  },
};
