import type { AttributeValue, Item } from './expression/attribute-value.ts';

const DEEPEST = 16;
/** Written as DynamoDB writes it, with few enough digits to need no rounding. */
const PLAIN_NUMBER = /^(?:0|-?[1-9]\d{0,17}|-?(?:0|[1-9]\d{0,8})\.\d{0,8}[1-9])$/;
/** Keys may be longer, but then their length is judged in bytes. */
const LONGEST_KEY = 500;

/**
 * Whether a value is without doubt valid, and stored as it is. Not so for numbers in other notations, empty texts,
 * bytes, and what is nested deeply: dynalite has to look at those.
 */
export function isPlain(value: AttributeValue | undefined, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return false;
  const types = Object.keys(value);
  if (types.length !== 1) return false;
  const content: unknown = value[types[0] as keyof AttributeValue];
  switch (types[0]) {
    case 'S':
      return isText(content);
    case 'N':
      return isNumber(content);
    case 'BOOL':
      return typeof content === 'boolean';
    case 'NULL':
      return content === true;
    case 'L':
      return Array.isArray(content) && content.every((one) => isPlain(one as AttributeValue, depth + 1));
    case 'M':
      return isPlainItem(content as Item | undefined, depth + 1);
    case 'SS':
      return isSet(content, isText);
    case 'NS':
      return isSet(content, isNumber);
    default:
      return false;
  }
}

export function isPlainItem(item: Item | undefined, depth = 0): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
  for (const name in item) if (name === '' || !isPlain(item[name], depth)) return false;
  return true;
}

/** Whether a value can be the key attribute of this type, without doubt. */
export function isPlainKey(value: AttributeValue | undefined, type: 'S' | 'N' | 'B'): boolean {
  const content = value?.[type];
  return content !== undefined && type !== 'B' && content.length <= LONGEST_KEY && isPlain(value);
}

function isText(content: unknown): boolean {
  return typeof content === 'string' && content !== '';
}

function isNumber(content: unknown): boolean {
  return typeof content === 'string' && PLAIN_NUMBER.test(content);
}

function isSet(content: unknown, isMember: (member: unknown) => boolean): boolean {
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every(isMember) &&
    new Set<unknown>(content).size === content.length
  );
}
