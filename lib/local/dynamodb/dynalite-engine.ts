import { createRequire } from 'node:module';
import type { DynaliteStore } from 'dynalite/db/index.js';
import type { DynamoDbStore } from './dynamodb-store.ts';
import type { Answer, Body, Engine } from './front-types.ts';

const OPERATIONS = [
  'BatchGetItem',
  'BatchWriteItem',
  'CreateTable',
  'DeleteItem',
  'DeleteTable',
  'DescribeTable',
  'DescribeTimeToLive',
  'GetItem',
  'ListTables',
  'ListTagsOfResource',
  'PutItem',
  'Query',
  'Scan',
  'TagResource',
  'UntagResource',
  'UpdateItem',
  'UpdateTable',
];

type Action = (store: DynaliteStore, data: object, called: (error: Refusal | null, data?: object) => void) => void;

/** An error that carries the answer it stands for; without one, something broke. */
interface Refusal {
  readonly statusCode?: number;
  readonly body?: Body;
}

interface OperationForm {
  readonly types: object;
  readonly custom?: (...parts: never[]) => unknown;
}

interface Validations {
  checkTypes(data: object, types: object): Body;
  checkValidations(data: object, types: object, custom: OperationForm['custom'], store: DynaliteStore): void;
}

const load = createRequire(import.meta.url);

/** dynalite's validation and operations on a store, without its HTTP server. They are loaded when first asked for. */
export class DynaliteEngine implements Engine {
  readonly #store: DynamoDbStore;

  constructor(store: DynamoDbStore) {
    this.#store = store;
  }

  /** @throws Error when the store fails */
  async call(operation: string, body: Body): Promise<Answer> {
    if (!OPERATIONS.includes(operation)) {
      return { status: 400, body: { __type: 'com.amazon.coral.service#UnknownOperationException' } };
    }
    const checked = this.check(operation, body);
    if ('refused' in checked) return checked.refused;
    return this.#act(operation, checked.data);
  }

  /**
   * What a request says once it has been found valid, with numbers as DynamoDB writes them; or the answer that refuses it.
   * Nothing is carried out.
   */
  check(operation: string, body: Body): { readonly data: Body } | { readonly refused: Answer } {
    const validations = load('dynalite/validations/index.js') as Validations;
    const { types, custom } = load(`dynalite/validations/${fileOf(operation)}`) as OperationForm;
    try {
      // A copy: what is not known gets taken out of it, and numbers are rewritten.
      const data = validations.checkTypes(JSON.parse(JSON.stringify(body)) as object, types);
      validations.checkValidations(data, types, custom, this.#store.forDynalite);
      return { data };
    } catch (error) {
      return { refused: answerOf(error as Refusal) };
    }
  }

  #act(operation: string, data: Body): Promise<Answer> {
    const act = load(`dynalite/actions/${fileOf(operation)}`) as Action;
    return new Promise((resolve, reject) => {
      act(this.#store.forDynalite, data, (error, result) => {
        try {
          resolve(error === null || error === undefined ? done(result) : answerOf(error));
        } catch (broken) {
          reject(broken);
        }
      });
    });
  }
}

function fileOf(operation: string): string {
  return `${operation.charAt(0).toLowerCase()}${operation.slice(1)}.js`;
}

function done(result: object | undefined): Answer {
  return { status: 200, body: JSON.parse(JSON.stringify(result ?? {})) as Body };
}

function answerOf(error: Refusal): Answer {
  if (error.statusCode === undefined || error.body === undefined) throw error;
  return { status: error.statusCode, body: error.body };
}
