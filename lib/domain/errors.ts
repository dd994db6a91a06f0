/**
 * An error that a person can act on. The message says what the user did, the value got, what is allowed and what to
 * change; lower case, no full stop. `code` is a PascalCase literal, is also the error's `name`, and is public API.
 */
export class BelfryError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = code;
  }
}
