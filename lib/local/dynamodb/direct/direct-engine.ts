import type { DynaliteEngine } from '../dynalite-engine.ts';
import type { DynamoDbStore } from '../dynamodb-store.ts';
import type { Answer, Body, Engine, WriteRequest } from '../front-types.ts';
import { directQuery } from './direct-query.ts';
import { directBatchGet, directGet } from './direct-read.ts';
import { directWrite } from './direct-write.ts';
import { judgedByShape, requestShape } from './request-shape.ts';

const MOST_REMEMBERED = 1_000;

/**
 * Carries out, directly on dynalite's store, the plain reads and writes of which the same ones come again and again. What
 * it has not seen before goes to dynalite: only requests of a form that dynalite has found valid are carried out here,
 * and whatever has to be refused or is unusual is dynalite's to answer.
 */
export class DirectEngine implements Engine {
  readonly #store: DynamoDbStore;
  readonly #dynalite: DynaliteEngine;
  readonly #valid = new Set<string>();

  constructor(store: DynamoDbStore, dynalite: DynaliteEngine) {
    this.#store = store;
    this.#dynalite = dynalite;
  }

  /** @throws Error when the store fails */
  async call(operation: string, body: Body): Promise<Answer> {
    const shape = requestShape(operation, body);
    if (shape !== undefined && this.#valid.has(shape)) {
      const answer = await this.#carryOut(operation, body);
      if (answer !== undefined) return answer;
    }
    const answer = await this.#dynalite.call(operation, body);
    if (operation.endsWith('Table')) this.#valid.clear();
    if (shape !== undefined && passedValidation(answer) && judgedByShape(body)) this.#remember(shape);
    return answer;
  }

  #carryOut(operation: string, body: Body): Promise<Answer | undefined> | Answer | undefined {
    switch (operation) {
      case 'GetItem':
        return directGet(this.#store, body);
      case 'BatchGetItem':
        return directBatchGet(this.#store, body);
      case 'Query':
        return directQuery(this.#store, body);
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        return directWrite(this.#store, operation, body as unknown as WriteRequest);
      default:
        return undefined;
    }
  }

  #remember(shape: string): void {
    if (this.#valid.size >= MOST_REMEMBERED) this.#valid.clear();
    this.#valid.add(shape);
  }
}

function passedValidation({ status, body }: Answer): boolean {
  return status === 200 || String(body.__type).endsWith('#ConditionalCheckFailedException');
}
