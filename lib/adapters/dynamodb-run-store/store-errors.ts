import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { BelfryError } from '../../domain/errors.ts';
import type { Item } from './run-item.ts';

/** The condition did not hold. `item` is what stood in the way, where the store told it. */
export class Refused {
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    this.item = item;
  }
}

const FOR_GOOD = new Set([
  'ValidationException',
  'AccessDeniedException',
  'ResourceNotFoundException',
  'ItemCollectionSizeLimitExceededException',
  'UnrecognizedClientException',
  'MissingAuthenticationTokenException',
  'InvalidSignatureException',
  'ExpiredTokenException',
  'SerializationException',
  'UnknownOperationException',
  'IdempotentParameterMismatchException',
  'CredentialsProviderError',
]);

/** Resolves to `Refused` on a failed condition; throws `StoreUnavailable` when the same request may succeed later. */
export async function refusable<Output>(request: Promise<Output>): Promise<Output | Refused> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return new Refused(error.Item);
    throw translate(error);
  }
}

export async function available<Output>(request: Promise<Output>): Promise<Output> {
  try {
    return await request;
  } catch (error) {
    throw translate(error);
  }
}

export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BelfryError || FOR_GOOD.has(error.name)) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return new BelfryError('StoreUnavailable', `the run table did not answer: ${error.name}: ${error.message}`, {
    cause: error,
  });
}
