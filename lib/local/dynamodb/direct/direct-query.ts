import dynalite, { type DynaliteTable, type KeyRange } from 'dynalite/db/index.js';
import { type DynamoDbStore, itemsOf } from '../dynamodb-store.ts';
import type { AttributeValue, Item } from '../expression/attribute-value.ts';
import { type Condition, type Operand, parseCondition } from '../expression/condition.ts';
import { Placeholders } from '../expression/tokens.ts';
import type { Answer, Body, WriteRequest } from '../front-types.ts';
import { isPlainKey } from '../plain-value.ts';
import { keyNames, keyType, partitionOf } from '../storage-key.ts';
import { LARGEST_ANSWER } from './direct-read.ts';

/** Room for what DynamoDB counts besides an item's content. */
const EXTRA_PER_ITEM = 100;
/** Behind all that a part of a storage key can be made of. */
const END = '~';

type Range = Pick<KeyRange, 'gt' | 'gte' | 'lt' | 'lte'>;

/** Undefined when only dynalite can say what is to be answered. */
export async function directQuery(store: DynamoDbStore, body: Body): Promise<Answer | undefined> {
  const table = store.table(String(body.TableName));
  const range = table && rangeOf(table, body);
  if (range === undefined) return undefined;
  const { Limit } = body as { readonly Limit?: number };
  const limit = Limit === undefined ? {} : { limit: Limit };
  const found = await store.range({ ...range, ...limit, reverse: body.ScanIndexForward === false });
  // There may be more, from a key on that is then part of the answer.
  if (found.length === Limit) return undefined;
  const size = found.reduce((sum, json) => sum + json.length + EXTRA_PER_ITEM, 0);
  if (size > LARGEST_ANSWER) return undefined;
  const Items = found.map((json) => JSON.parse(json) as Item);
  return { status: 200, body: { ScannedCount: Items.length, Count: Items.length, Items } };
}

function rangeOf(table: DynaliteTable, body: Body): Range | undefined {
  const { ExpressionAttributeNames, ExpressionAttributeValues } = body as Partial<WriteRequest>;
  const placeholders = new Placeholders(ExpressionAttributeNames, ExpressionAttributeValues);
  const condition = parseCondition(String(body.KeyConditionExpression), placeholders);
  const terms = condition.kind === 'and' ? condition.terms : [condition];
  const [hash = '', sort] = keyNames(table);
  const ofHash = terms.map((term) => termOn(term, table, hash)).find((term) => term?.comparator === '=');
  if (ofHash === undefined || terms.length > 2) return undefined;
  const partition = `${itemsOf(table.TableName)}${partitionOf(ofHash.type, ofHash.value)}`;
  if (terms.length === 1) return { gte: partition, lt: `${partition}${END}` };
  const ranges = sort === undefined ? [] : terms.map((term) => sortRange(partition, term, table, sort));
  return ranges.find((range) => range !== undefined);
}

function sortRange(partition: string, condition: Condition, table: DynaliteTable, sort: string): Range | undefined {
  if (condition.kind !== 'between') {
    const term = termOn(condition, table, sort);
    return term && within(partition, term);
  }
  const { operand: left, low, high } = condition;
  const from = termOn({ kind: 'compare', comparator: '>=', left, right: low }, table, sort);
  const to = termOn({ kind: 'compare', comparator: '<=', left, right: high }, table, sort);
  if (from === undefined || to === undefined) return undefined;
  const { gte = '' } = within(partition, from) ?? {};
  const { lte = '' } = within(partition, to) ?? {};
  // The wrong way round it is not valid, which is dynalite's to say.
  return gte <= lte ? { gte, lte } : undefined;
}

interface Term {
  readonly comparator: string;
  readonly type: 'S' | 'N' | 'B';
  readonly value: string;
}

/** What a condition says of one key attribute; undefined when it is about something else. */
function termOn(condition: Condition, table: DynaliteTable, name: string): Term | undefined {
  const [comparator, left, right] = partsOf(condition);
  if (left?.kind !== 'path' || left.path.length !== 1 || left.path[0] !== name || right?.kind !== 'value')
    return undefined;
  const type = keyType(table, name);
  const value: AttributeValue = right.value;
  return isPlainKey(value, type) ? { comparator, type, value: value[type] ?? '' } : undefined;
}

function partsOf(condition: Condition): [string, Operand | undefined, Operand | undefined] {
  if (condition.kind === 'compare') return [condition.comparator, condition.left, condition.right];
  if (condition.kind === 'call') return [condition.name, condition.operands[0], condition.operands[1]];
  return ['', undefined, undefined];
}

function within(partition: string, { comparator, type, value }: Term): Range | undefined {
  const at = `${partition}${dynalite.toRangeStr(value, type)}`;
  switch (comparator) {
    case '=':
      return { gte: `${at}/`, lte: `${at}/${END}` };
    case '<':
      return { gte: partition, lt: `${at}/` };
    case '<=':
      return { gte: partition, lte: `${at}/${END}` };
    case '>':
      return { gt: `${at}/${END}`, lt: `${partition}${END}` };
    case '>=':
      return { gte: `${at}/`, lt: `${partition}${END}` };
    case 'begins_with':
      return type === 'S' ? { gte: at, lt: `${at}${END}` } : undefined;
    default:
      return undefined;
  }
}
