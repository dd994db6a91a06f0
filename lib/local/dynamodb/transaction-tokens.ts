import { type Answer, ApiError, type Body } from './front-types.ts';

const REMEMBERED_MS = 10 * 60_000;

interface Remembered {
  readonly content: string;
  readonly answer: Promise<Answer>;
  /** Undefined while the transaction is being carried out. */
  completedAt?: number;
}

/** The effect of ClientRequestToken: within ten minutes of its success a transaction is not carried out again. */
export class TransactionTokens {
  readonly #now: () => number;
  readonly #remembered = new Map<string, Remembered>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws ApiError `IdempotentParameterMismatchException` */
  async once(body: Body, carryOut: () => Promise<Answer>): Promise<Answer> {
    const token = body.ClientRequestToken;
    if (typeof token !== 'string') return carryOut();
    this.#forgetOld();
    const content = JSON.stringify(body.TransactItems);
    const known = this.#remembered.get(token);
    if (known !== undefined) {
      if (known.content !== content) {
        throw new ApiError(
          'IdempotentParameterMismatchException',
          'The request uses the same client token as a previous, but non-identical request',
        );
      }
      return known.answer;
    }
    const answer = carryOut();
    const remembered: Remembered = { content, answer };
    this.#remembered.set(token, remembered);
    try {
      await answer;
      remembered.completedAt = this.#now();
    } catch {
      this.#remembered.delete(token);
    }
    return answer;
  }

  #forgetOld(): void {
    const limit = this.#now() - REMEMBERED_MS;
    for (const [token, { completedAt }] of this.#remembered) {
      if (completedAt !== undefined && completedAt < limit) this.#remembered.delete(token);
    }
  }
}
