/** What the API answers with a ValidationException. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** `#name` and `:value` placeholders of a request, and which of them its expressions used. */
export class Placeholders {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #used = new Set<string>();

  constructor(names: Readonly<Record<string, string>> = {}, values: Readonly<Record<string, unknown>> = {}) {
    this.#names = names;
    this.#values = values;
  }

  name(placeholder: string): string {
    this.#used.add(placeholder);
    const name = Object.hasOwn(this.#names, placeholder) ? this.#names[placeholder] : undefined;
    if (name === undefined) {
      throw new ExpressionError(
        `An expression attribute name used in the document path is not defined; attribute name: ${placeholder}`,
      );
    }
    return name;
  }

  value<Value>(placeholder: string): Value {
    this.#used.add(placeholder);
    if (!Object.hasOwn(this.#values, placeholder)) {
      throw new ExpressionError(
        `An expression attribute value used in expression is not defined; attribute value: ${placeholder}`,
      );
    }
    return this.#values[placeholder] as Value;
  }

  /** @throws ExpressionError when the request defines what no expression uses. */
  assertAllUsed(): void {
    const unused = (defined: object) => Object.keys(defined).filter((name) => !this.#used.has(name));
    const names = unused(this.#names);
    if (names.length > 0) {
      throw new ExpressionError(
        `Value provided in ExpressionAttributeNames unused in expressions: keys: {${names.join(', ')}}`,
      );
    }
    const values = unused(this.#values);
    if (values.length > 0) {
      throw new ExpressionError(
        `Value provided in ExpressionAttributeValues unused in expressions: keys: {${values.join(', ')}}`,
      );
    }
  }
}

const TOKEN = /\s*(<=|>=|<>|[=<>(),.[\]+-]|[#:]?[A-Za-z_0-9][A-Za-z_0-9]*)/y;

/** Programs ask with the same few expressions again and again. */
const MOST_REMEMBERED = 500;
const remembered = new Map<string, readonly string[]>();

function split(expression: string): readonly string[] {
  const pattern = new RegExp(TOKEN);
  const tokens: string[] = [];
  const end = expression.trimEnd().length;
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex;
    const token = pattern.exec(expression)?.[1];
    if (token === undefined)
      throw new ExpressionError(`Invalid expression: Syntax error; near: "${expression.slice(at, at + 12)}"`);
    tokens.push(token);
  }
  return tokens;
}

/** The words and signs of one expression, read from the front. */
export class Tokens {
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(expression: string) {
    let tokens = remembered.get(expression);
    if (tokens === undefined) {
      tokens = split(expression);
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(expression, tokens);
    }
    this.#tokens = tokens;
  }

  get done(): boolean {
    return this.#position >= this.#tokens.length;
  }

  peek(ahead = 0): string | undefined {
    return this.#tokens[this.#position + ahead];
  }

  next(): string {
    const token = this.#tokens[this.#position++];
    if (token === undefined)
      throw new ExpressionError('Invalid expression: Syntax error; the expression ends too soon');
    return token;
  }

  /** Takes the next token if it is this one; key words in any case. */
  take(token: string): boolean {
    if (this.peek()?.toUpperCase() !== token) return false;
    this.#position++;
    return true;
  }

  expect(token: string): void {
    const found = this.next();
    if (found.toUpperCase() !== token)
      throw new ExpressionError(`Invalid expression: Syntax error; token: "${found}", wanted: "${token}"`);
  }
}
