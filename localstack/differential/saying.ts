import type { Answer, Body } from '../../lib/local/dynamodb/front-types.ts';

/** What an answer says to a program: its error's type and what comes with it, or its content. */
export interface Saying {
  readonly error?: string;
  readonly content: Body;
}

/** Errors whose words programs and people look at; of the others the type is what counts. */
const SAME_WORDS = new Set([
  'ConditionalCheckFailedException',
  'TransactionCanceledException',
  'ResourceNotFoundException',
]);

/** Leaves out what may differ: capacity, and the words with which a malformed request is refused. */
export function saying({ status, body }: Answer): Saying {
  const {
    __type: type,
    message,
    Message,
    ConsumedCapacity: _capacity,
    ItemCollectionMetrics: _metrics,
    ...content
  } = body;
  if (status === 200) return { content: sorted(content) as Body };
  const error = String(type).split('#').at(-1) ?? '';
  const words = SAME_WORDS.has(error) ? { words: message ?? Message } : {};
  return { error, content: sorted({ ...content, ...words }) as Body };
}

/** Attributes and batches come in no order; lists of a query do. */
function sorted(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => sorted(item));
    return name === 'differential-runs'
      ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => inner !== undefined && inner !== null && !isNoAttributes(key, inner))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner, key)]),
  );
}

/** An update that left nothing to return: some engines say `{}`, some say nothing. */
function isNoAttributes(key: string, value: unknown): boolean {
  return key === 'Attributes' && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
