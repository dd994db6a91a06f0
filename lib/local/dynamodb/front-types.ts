import type { Item } from './expression/attribute-value.ts';

/** The body of a request or an answer of the DynamoDB API. */
export type Body = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly body: Body;
  /** Not part of the answer: what a write has stored, where that is known. */
  readonly stored?: Item;
}

/** Asks for one operation: its name as in `X-Amz-Target`, and its JSON body. */
export type Call = (operation: string, body: Body) => Promise<Answer>;

/** What carries out the operations that touch single items, or read several. */
export interface Engine {
  readonly call: Call;
}

/** Something the API answers with an error of this type. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly type: string;
  readonly more: Body;

  constructor(type: string, message: string, more: Body = {}) {
    super(message);
    this.type = type;
    this.more = more;
  }

  toAnswer(): Answer {
    const namespace =
      this.type === 'ValidationException' ? 'com.amazon.coral.validate' : 'com.amazonaws.dynamodb.v20120810';
    const text = this.type === 'TransactionCanceledException' ? { Message: this.message } : { message: this.message };
    return { status: 400, body: { __type: `${namespace}#${this.type}`, ...text, ...this.more } };
  }
}

export function invalid(message: string): ApiError {
  return new ApiError('ValidationException', message);
}

/** One action of a transaction, or one write request. */
export interface WriteRequest {
  readonly TableName: string;
  readonly Item?: Item;
  readonly Key?: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}
