import { type AttributeValue, addNumbers, canonical, type Item, setTypeOf, typeOf } from './attribute-value.ts';
import { type Path, parsePath, readPath, writePath } from './path.ts';
import { ExpressionError, type Placeholders, Tokens } from './tokens.ts';

type Source =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: AttributeValue }
  | { readonly kind: 'ifNotExists'; readonly path: Path; readonly otherwise: Source }
  | { readonly kind: 'listAppend'; readonly first: Source; readonly second: Source }
  | { readonly kind: 'sum'; readonly sign: 1 | -1; readonly left: Source; readonly right: Source };

type Action =
  | { readonly kind: 'set'; readonly path: Path; readonly source: Source }
  | { readonly kind: 'remove'; readonly path: Path }
  | { readonly kind: 'add' | 'delete'; readonly path: Path; readonly value: AttributeValue };

export type Update = readonly Action[];

const SECTIONS = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

/** @throws ExpressionError */
export function parseUpdate(expression: string, placeholders: Placeholders): Update {
  const tokens = new Tokens(expression);
  const actions: Action[] = [];
  while (!tokens.done) {
    const section = SECTIONS.find((name) => tokens.take(name));
    if (section === undefined)
      throw new ExpressionError(`Invalid UpdateExpression: Syntax error; token: "${tokens.next()}"`);
    do actions.push(parseAction(section, tokens, placeholders));
    while (tokens.take(','));
  }
  assertApart(actions);
  return actions;
}

function parseAction(section: (typeof SECTIONS)[number], tokens: Tokens, placeholders: Placeholders): Action {
  const path = parsePath(tokens, placeholders);
  switch (section) {
    case 'SET':
      tokens.expect('=');
      return { kind: 'set', path, source: parseSum(tokens, placeholders) };
    case 'REMOVE':
      return { kind: 'remove', path };
    case 'ADD':
    case 'DELETE':
      return { kind: section === 'ADD' ? 'add' : 'delete', path, value: placeholders.value(tokens.next()) };
  }
}

function parseSum(tokens: Tokens, placeholders: Placeholders): Source {
  const left = parseSource(tokens, placeholders);
  if (tokens.take('+')) return { kind: 'sum', sign: 1, left, right: parseSource(tokens, placeholders) };
  if (tokens.take('-')) return { kind: 'sum', sign: -1, left, right: parseSource(tokens, placeholders) };
  return left;
}

function parseSource(tokens: Tokens, placeholders: Placeholders): Source {
  const token = tokens.peek();
  if (token?.startsWith(':')) return { kind: 'value', value: placeholders.value(tokens.next()) };
  if (tokens.peek(1) === '(' && (token === 'if_not_exists' || token === 'list_append')) {
    tokens.next();
    tokens.expect('(');
    const source: Source =
      token === 'if_not_exists'
        ? { kind: 'ifNotExists', ...parsePair(tokens, placeholders) }
        : { kind: 'listAppend', ...parseLists(tokens, placeholders) };
    tokens.expect(')');
    return source;
  }
  return { kind: 'path', path: parsePath(tokens, placeholders) };
}

function parsePair(tokens: Tokens, placeholders: Placeholders): { path: Path; otherwise: Source } {
  const path = parsePath(tokens, placeholders);
  tokens.expect(',');
  return { path, otherwise: parseSource(tokens, placeholders) };
}

function parseLists(tokens: Tokens, placeholders: Placeholders): { first: Source; second: Source } {
  const first = parseSource(tokens, placeholders);
  tokens.expect(',');
  return { first, second: parseSource(tokens, placeholders) };
}

function assertApart(actions: Update): void {
  const seen: Path[] = [];
  for (const { path } of actions) {
    if (seen.some((other) => startsWith(path, other) || startsWith(other, path))) {
      throw new ExpressionError(
        'Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths',
      );
    }
    seen.push(path);
  }
}

function startsWith(path: Path, prefix: Path): boolean {
  return prefix.every((part, index) => path[index] === part);
}

/**
 * `item` after the update. Every source is read from the item as it was before.
 * @throws ExpressionError
 */
export function applyUpdate(update: Update, item: Item): Item {
  let updated = item;
  for (const action of update) updated = writePath(updated, action.path, newValue(action, item));
  return updated;
}

function newValue(action: Action, item: Item): AttributeValue | undefined {
  switch (action.kind) {
    case 'set':
      return sourceValue(action.source, item);
    case 'remove':
      return undefined;
    case 'add':
      return added(readPath(item, action.path), action.value);
    case 'delete':
      return without(readPath(item, action.path), action.value);
  }
}

function sourceValue(source: Source, item: Item): AttributeValue {
  switch (source.kind) {
    case 'value':
      return source.value;
    case 'path': {
      const value = readPath(item, source.path);
      if (value === undefined)
        throw new ExpressionError('The provided expression refers to an attribute that does not exist in the item');
      return value;
    }
    case 'ifNotExists':
      return readPath(item, source.path) ?? sourceValue(source.otherwise, item);
    case 'listAppend': {
      const [first, second] = [sourceValue(source.first, item), sourceValue(source.second, item)];
      if (first.L === undefined || second.L === undefined) throw wrongType('list_append');
      return { L: [...first.L, ...second.L] };
    }
    case 'sum': {
      const [left, right] = [sourceValue(source.left, item), sourceValue(source.right, item)];
      if (left.N === undefined || right.N === undefined) throw wrongType(source.sign === 1 ? '+' : '-');
      return { N: addNumbers(left.N, right.N, source.sign) };
    }
  }
}

function added(current: AttributeValue | undefined, value: AttributeValue): AttributeValue {
  if (current === undefined) return value;
  if (current.N !== undefined && value.N !== undefined) return { N: addNumbers(current.N, value.N, 1) };
  const type = setTypeOf(value);
  if (type === undefined || typeOf(current) !== type) throw wrongType('ADD');
  const members = current[type] ?? [];
  const known = new Set(members.map((member) => canonical(type, member)));
  return { [type]: [...members, ...(value[type] ?? []).filter((member) => !known.has(canonical(type, member)))] };
}

function without(current: AttributeValue | undefined, value: AttributeValue): AttributeValue | undefined {
  if (current === undefined) return undefined;
  const type = setTypeOf(value);
  if (type === undefined || typeOf(current) !== type) throw wrongType('DELETE');
  const gone = new Set((value[type] ?? []).map((member) => canonical(type, member)));
  const left = (current[type] ?? []).filter((member) => !gone.has(canonical(type, member)));
  return left.length === 0 ? undefined : { [type]: left };
}

function wrongType(what: string): ExpressionError {
  return new ExpressionError(
    `An operand in the update expression has an incorrect data type; operator or function: ${what}`,
  );
}
