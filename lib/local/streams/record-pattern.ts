/** A filter of an event source mapping, in EventBridge's pattern language. */
export type RecordPattern = { readonly [key: string]: RecordPattern | readonly Condition[] };

type Literal = string | number | boolean | null;
type Condition =
  | Literal
  | { readonly prefix: string }
  | { readonly suffix: string }
  | { readonly exists: boolean }
  | { readonly 'anything-but': Literal | readonly Literal[] };

const OPERATORS = ['prefix', 'suffix', 'exists', 'anything-but'];

/** Whether nothing is in the pattern that `matchesPattern` does not know. */
export function isReadable(pattern: RecordPattern): boolean {
  return Object.values(pattern).every((part) =>
    isList(part)
      ? part.every((condition) => !isOperator(condition) || OPERATORS.includes(Object.keys(condition)[0] ?? ''))
      : isReadable(part),
  );
}

/** Every key of the pattern must fit; of the conditions on one value any. */
export function matchesPattern(pattern: RecordPattern, value: unknown): boolean {
  return Object.entries(pattern).every(([key, part]) => {
    const inside = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
    return isList(part) ? part.some((condition) => fits(condition, inside)) : matchesPattern(part, inside);
  });
}

function fits(condition: Condition, value: unknown): boolean {
  if (!isOperator(condition)) return value === condition;
  if ('exists' in condition) return (value !== undefined) === condition.exists;
  if ('prefix' in condition) return typeof value === 'string' && value.startsWith(condition.prefix);
  if ('suffix' in condition) return typeof value === 'string' && value.endsWith(condition.suffix);
  const others = condition['anything-but'];
  return value !== undefined && !(Array.isArray(others) ? others : [others]).includes(value);
}

function isList(part: RecordPattern | readonly Condition[]): part is readonly Condition[] {
  return Array.isArray(part);
}

function isOperator(condition: Condition): condition is Exclude<Condition, Literal> {
  return typeof condition === 'object' && condition !== null;
}
