import { type Item, typeOf } from '../expression/attribute-value.ts';
import type { Body } from '../front-types.ts';
import { isPlain, isPlainItem } from '../plain-value.ts';

const EXPRESSION = ['TableName', 'ExpressionAttributeNames', 'ExpressionAttributeValues'];
const WRITE = [...EXPRESSION, 'ConditionExpression', 'ReturnValues'];

/** The fields that are understood here, by operation. */
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  GetItem: new Set(['TableName', 'Key', 'ConsistentRead']),
  BatchGetItem: new Set(['RequestItems']),
  Query: new Set([...EXPRESSION, 'KeyConditionExpression', 'ConsistentRead', 'ScanIndexForward', 'Limit']),
  PutItem: new Set([...WRITE, 'Item']),
  UpdateItem: new Set([...WRITE, 'Key', 'UpdateExpression']),
  DeleteItem: new Set([...WRITE, 'Key']),
};

/** Whether such a request is valid depends on the values, not on their types alone. */
const BY_VALUE = /\b(?:between|attribute_type)\b/i;

/**
 * What two requests have in common that are both valid or both not: everything but the values, of which only the types
 * count. Undefined for a request of which that cannot be said.
 */
export function requestShape(operation: string, body: Body): string | undefined {
  const fields = FIELDS[operation];
  if (fields === undefined) return undefined;
  for (const field in body) if (!fields.has(field)) return undefined;
  const { Item: item, ExpressionAttributeValues: values = {}, ConsistentRead, ScanIndexForward } = body;
  if (!isFlag(ConsistentRead) || !isFlag(ScanIndexForward) || !isLimit(body.Limit)) return undefined;
  if (item !== undefined && !isPlainItem(item as Item)) return undefined;
  let types = '';
  for (const [name, value] of Object.entries(values as Item)) {
    if (!isPlain(value)) return undefined;
    types += ` ${name} ${typeOf(value)}`;
  }
  const { TableName, UpdateExpression, ConditionExpression, KeyConditionExpression, ReturnValues } = body;
  const names = body.ExpressionAttributeNames === undefined ? '' : JSON.stringify(body.ExpressionAttributeNames);
  return `${operation} ${TableName}\n${UpdateExpression}\n${ConditionExpression}\n${KeyConditionExpression}\n${ReturnValues}\n${names}\n${types}`;
}

/** Whether all requests of one shape are valid if one of them is, but for a range of keys: who reads it looks at that. */
export function judgedByShape({ UpdateExpression, ConditionExpression }: Body): boolean {
  return ![UpdateExpression, ConditionExpression].some((text) => BY_VALUE.test(String(text)));
}

function isLimit(value: unknown): boolean {
  return value === undefined || (Number.isInteger(value) && Number(value) >= 1);
}

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean';
}
