import type { AttributeValue, Item } from './attribute-value.ts';
import { ExpressionError, type Placeholders, type Tokens } from './tokens.ts';

/** Where a value lies in an item: attribute names, and positions in lists. */
export type Path = readonly (string | number)[];

export function parsePath(tokens: Tokens, placeholders: Placeholders): Path {
  const path: (string | number)[] = [segment(tokens.next(), placeholders)];
  for (;;) {
    if (tokens.take('.')) {
      path.push(segment(tokens.next(), placeholders));
    } else if (tokens.take('[')) {
      path.push(Number(tokens.next()));
      tokens.expect(']');
    } else {
      return path;
    }
  }
}

function segment(token: string, placeholders: Placeholders): string {
  if (token.startsWith('#')) return placeholders.name(token);
  if (!/^[A-Za-z_]/.test(token)) throw new ExpressionError(`Invalid expression: Syntax error; token: "${token}"`);
  return token;
}

export function readPath(item: Item | undefined, path: Path): AttributeValue | undefined {
  let value: AttributeValue | undefined = item === undefined ? undefined : { M: item };
  for (const part of path) {
    value = typeof part === 'number' ? value?.L?.[part] : own(value?.M, part);
    if (value === undefined) return undefined;
  }
  return value;
}

function own(map: Readonly<Record<string, AttributeValue>> | undefined, name: string): AttributeValue | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

/** A copy of `item` with `value` at `path`; without a value, with nothing there. Other branches are shared. */
export function writePath(item: Item, path: Path, value: AttributeValue | undefined): Item {
  const written = write({ M: item }, path, value);
  return written.M ?? {};
}

function write(
  holder: AttributeValue | undefined,
  [part, ...rest]: Path,
  value: AttributeValue | undefined,
): AttributeValue {
  if (typeof part === 'number') {
    if (holder?.L === undefined) throw invalidPath();
    const list = [...holder.L];
    const inner = rest.length === 0 ? value : write(list[part], rest, value);
    if (inner === undefined) list.splice(part, 1);
    else if (part < list.length) list[part] = inner;
    else list.push(inner);
    return { L: list };
  }
  if (part === undefined || holder?.M === undefined) throw invalidPath();
  const inner = rest.length === 0 ? value : write(own(holder.M, part), rest, value);
  const map: Record<string, AttributeValue> = { ...holder.M };
  if (inner === undefined) delete map[part];
  else map[part] = inner;
  return { M: map };
}

function invalidPath(): ExpressionError {
  return new ExpressionError('The document path provided in the update expression is invalid for update');
}
