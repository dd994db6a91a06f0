import type { Answer } from '../dynamodb/front-types.ts';
import { FaultDice } from './fault-dice.ts';
import type { FaultSettings } from './fault-settings.ts';

export type DynamoDbFault =
  | { readonly kind: 'throttle'; readonly answer: Answer }
  /** The request is carried out, and its answer is lost. */
  | { readonly kind: 'lost-response' };

const THROTTLED: Answer = {
  status: 400,
  body: {
    __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException',
    message: 'Throughput exceeds the current capacity of your table or index. (belfry dev --faults throttle)',
  },
};

/** Faults that strike requests to DynamoDB. */
export class DynamoDbFaults {
  readonly #dice: FaultDice;
  readonly #report: (text: string) => void;
  #requests = 0;

  constructor(settings: FaultSettings, report: (text: string) => void) {
    this.#dice = new FaultDice(settings);
    this.#report = report;
  }

  /** What happens to the next request, if anything. */
  next(operation: string): DynamoDbFault | undefined {
    this.#requests++;
    const target = String(this.#requests);
    const name = operation.split('.')[1] ?? operation;
    if (this.#dice.strikes('throttle', target)) {
      this.#report(`fault throttle: ${name} is refused`);
      return { kind: 'throttle', answer: THROTTLED };
    }
    if (this.#dice.strikes('lost-response', target)) {
      this.#report(`fault lost-response: ${name} is carried out, its answer is lost`);
      return { kind: 'lost-response' };
    }
    return undefined;
  }
}
