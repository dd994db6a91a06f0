import { type AttributeValue, canonical, type Item, order, sameValue, setTypeOf, typeOf } from './attribute-value.ts';
import { type Path, parsePath, readPath } from './path.ts';
import { ExpressionError, type Placeholders, Tokens } from './tokens.ts';

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: AttributeValue }
  | { readonly kind: 'size'; readonly of: Operand };

const COMPARATORS = ['=', '<>', '<', '<=', '>', '>='] as const;
type Comparator = (typeof COMPARATORS)[number];

const FUNCTIONS = ['attribute_exists', 'attribute_not_exists', 'attribute_type', 'begins_with', 'contains'] as const;
type FunctionName = (typeof FUNCTIONS)[number];

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly kind: 'not'; readonly term: Condition }
  | { readonly kind: 'compare'; readonly comparator: Comparator; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'between'; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly operand: Operand; readonly list: readonly Operand[] }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly operands: readonly Operand[] };

/** @throws ExpressionError */
export function parseCondition(expression: string, placeholders: Placeholders): Condition {
  const tokens = new Tokens(expression);
  const condition = parseOr(tokens, placeholders);
  if (!tokens.done) throw new ExpressionError(`Invalid expression: Syntax error; token: "${tokens.next()}"`);
  return condition;
}

function parseOr(tokens: Tokens, placeholders: Placeholders): Condition {
  const terms = [parseAnd(tokens, placeholders)];
  while (tokens.take('OR')) terms.push(parseAnd(tokens, placeholders));
  return joined('or', terms);
}

function parseAnd(tokens: Tokens, placeholders: Placeholders): Condition {
  const terms = [parseNot(tokens, placeholders)];
  while (tokens.take('AND')) terms.push(parseNot(tokens, placeholders));
  return joined('and', terms);
}

function joined(kind: 'and' | 'or', terms: readonly Condition[]): Condition {
  const [only] = terms;
  return only !== undefined && terms.length === 1 ? only : { kind, terms };
}

function parseNot(tokens: Tokens, placeholders: Placeholders): Condition {
  if (tokens.take('NOT')) return { kind: 'not', term: parseNot(tokens, placeholders) };
  if (tokens.take('(')) {
    const condition = parseOr(tokens, placeholders);
    tokens.expect(')');
    return condition;
  }
  const name = FUNCTIONS.find((one) => tokens.peek() === one && tokens.peek(1) === '(');
  if (name !== undefined) {
    tokens.next();
    return { kind: 'call', name, operands: parseList(tokens, placeholders) };
  }
  return parseComparison(tokens, placeholders);
}

function parseComparison(tokens: Tokens, placeholders: Placeholders): Condition {
  const left = parseOperand(tokens, placeholders);
  if (tokens.take('BETWEEN')) {
    const low = parseOperand(tokens, placeholders);
    tokens.expect('AND');
    return { kind: 'between', operand: left, low, high: parseOperand(tokens, placeholders) };
  }
  if (tokens.take('IN')) return { kind: 'in', operand: left, list: parseList(tokens, placeholders) };
  const sign = tokens.next();
  const comparator = COMPARATORS.find((one) => one === sign);
  if (comparator === undefined) throw new ExpressionError(`Invalid expression: Syntax error; token: "${sign}"`);
  return { kind: 'compare', comparator, left, right: parseOperand(tokens, placeholders) };
}

function parseList(tokens: Tokens, placeholders: Placeholders): Operand[] {
  tokens.expect('(');
  const operands = [parseOperand(tokens, placeholders)];
  while (tokens.take(',')) operands.push(parseOperand(tokens, placeholders));
  tokens.expect(')');
  return operands;
}

function parseOperand(tokens: Tokens, placeholders: Placeholders): Operand {
  const token = tokens.peek();
  if (token?.startsWith(':')) return { kind: 'value', value: placeholders.value(tokens.next()) };
  if (token === 'size' && tokens.peek(1) === '(') {
    tokens.next();
    tokens.expect('(');
    const of = parseOperand(tokens, placeholders);
    tokens.expect(')');
    return { kind: 'size', of };
  }
  return { kind: 'path', path: parsePath(tokens, placeholders) };
}

/** Whether `item` (absent: undefined) meets the condition. */
export function holds(condition: Condition, item: Item | undefined): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.terms.every((term) => holds(term, item));
    case 'or':
      return condition.terms.some((term) => holds(term, item));
    case 'not':
      return !holds(condition.term, item);
    case 'compare':
      return compare(condition.comparator, operandValue(condition.left, item), operandValue(condition.right, item));
    case 'between': {
      const value = operandValue(condition.operand, item);
      return (
        compare('>=', value, operandValue(condition.low, item)) &&
        compare('<=', value, operandValue(condition.high, item))
      );
    }
    case 'in': {
      const value = operandValue(condition.operand, item);
      return condition.list.some((one) => compare('=', value, operandValue(one, item)));
    }
    case 'call':
      return callFunction(condition.name, condition.operands, item);
  }
}

function operandValue(operand: Operand, item: Item | undefined): AttributeValue | undefined {
  switch (operand.kind) {
    case 'path':
      return readPath(item, operand.path);
    case 'value':
      return operand.value;
    case 'size':
      return sizeOf(operandValue(operand.of, item));
  }
}

function sizeOf(value: AttributeValue | undefined): AttributeValue | undefined {
  if (value === undefined) return undefined;
  if (value.S !== undefined) return { N: String(Buffer.byteLength(value.S)) };
  if (value.B !== undefined) return { N: String(Buffer.from(value.B, 'base64').length) };
  const members =
    value.SS ?? value.NS ?? value.BS ?? value.L ?? (value.M === undefined ? undefined : Object.keys(value.M));
  return members === undefined ? undefined : { N: String(members.length) };
}

function compare(comparator: Comparator, left: AttributeValue | undefined, right: AttributeValue | undefined): boolean {
  // Nothing differs from anything, and is neither equal to it nor in any order with it.
  if (left === undefined || right === undefined) return comparator === '<>';
  if (comparator === '=') return sameValue(left, right);
  if (comparator === '<>') return !sameValue(left, right);
  const sign = order(left, right);
  if (sign === undefined) return false;
  switch (comparator) {
    case '<':
      return sign < 0;
    case '<=':
      return sign <= 0;
    case '>':
      return sign > 0;
    case '>=':
      return sign >= 0;
  }
}

function callFunction(name: FunctionName, operands: readonly Operand[], item: Item | undefined): boolean {
  const [first, second] = operands.map((operand) => operandValue(operand, item));
  switch (name) {
    case 'attribute_exists':
      return first !== undefined;
    case 'attribute_not_exists':
      return first === undefined;
    case 'attribute_type':
      return first !== undefined && typeOf(first) === second?.S;
    case 'begins_with':
      return beginsWith(first, second);
    case 'contains':
      return contains(first, second);
  }
}

function beginsWith(text: AttributeValue | undefined, prefix: AttributeValue | undefined): boolean {
  if (text?.S !== undefined && prefix?.S !== undefined) return text.S.startsWith(prefix.S);
  if (text?.B === undefined || prefix?.B === undefined) return false;
  const bytes = Buffer.from(prefix.B, 'base64');
  return Buffer.from(text.B, 'base64').subarray(0, bytes.length).equals(bytes);
}

function contains(holder: AttributeValue | undefined, member: AttributeValue | undefined): boolean {
  if (holder === undefined || member === undefined) return false;
  if (holder.S !== undefined) return member.S !== undefined && holder.S.includes(member.S);
  if (holder.L !== undefined) return holder.L.some((one) => sameValue(one, member));
  const type = setTypeOf(holder);
  const wanted = type === undefined ? undefined : member[type === 'SS' ? 'S' : type === 'NS' ? 'N' : 'B'];
  if (type === undefined || wanted === undefined) return false;
  return (holder[type] ?? []).some((one) => canonical(type, one) === canonical(type, wanted));
}
