/** As much of IAM's evaluation as the policies of this project use. Anything else is an error, not a guess. */

export interface Statement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface Call {
  /** As IAM names it, e.g. `dynamodb:PutItem`. */
  readonly action: string;
  readonly resource: string;
  /** Condition keys of the request. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** Whether these statements allow the call: one allows it and none denies it. */
export function allows(statements: readonly Statement[], call: Call): boolean {
  const applying = statements.filter((statement) => applies(statement, call));
  return applying.some(({ Effect }) => Effect === 'Allow') && applying.every(({ Effect }) => Effect === 'Allow');
}

/** Whether the statement is about the call, condition included. */
export function applies(statement: Statement, call: Call): boolean {
  return (
    listed(statement.Action).some((pattern) => matches(pattern, call.action)) &&
    listed(statement.Resource).some((pattern) => matches(pattern, call.resource)) &&
    Object.entries(statement.Condition ?? {}).every(([operator, keys]) =>
      Object.entries(keys).every(([key, values]) => holds(operator, call.context[key], listed(values))),
    )
  );
}

function holds(operator: string, actual: readonly string[] | undefined, values: readonly string[]): boolean {
  switch (operator) {
    case 'StringEquals':
      return actual?.length === 1 && values.includes(actual[0] ?? '');
    // True for a request that does not have the key at all: hence the `Null` beside it.
    case 'ForAllValues:StringEquals':
      return (actual ?? []).every((one) => values.includes(one));
    case 'ForAllValues:StringLike':
      return (actual ?? []).every((one) => values.some((pattern) => matches(pattern, one)));
    case 'Null':
      return values.includes(String(actual === undefined));
    default:
      throw new Error(`the evaluator does not know the condition operator ${operator}`);
  }
}

export function listed(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function matches(pattern: string, text: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`).test(text);
}
