import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { MemoryDynamoDb } from '../support/memory-dynamodb.ts';

export interface Command {
  readonly constructor: { readonly name: string };
  readonly input: object;
}

/** A request under way. */
export interface Request {
  readonly owner: number;
  readonly command: Command;
  readonly resolve: (answer: object) => void;
  readonly reject: (error: Error) => void;
  tries: number;
}

/** The SDK sends a request at most this often. */
const MOST_TRIES = 3;

/** Between the clients and the table: requests wait here until the simulation decides what becomes of them. */
export class Network {
  readonly pending: Request[] = [];
  /** Requests whose senders have given up, still on their way. */
  readonly late: Request[] = [];
  readonly #db: MemoryDynamoDb;
  readonly #note: (owner: number, what: string) => void;

  constructor(db: MemoryDynamoDb, note: (owner: number, what: string) => void) {
    this.#db = db;
    this.#note = note;
  }

  clientOf(owner: number): DynamoDBClient {
    const send = (command: Command) =>
      new Promise<object>((resolve, reject) => this.pending.push({ owner, command, resolve, reject, tries: 1 }));
    return { send } as unknown as DynamoDBClient;
  }

  deliver(request: Request): void {
    this.#remove(request);
    const answer = this.#apply(request);
    this.#tell(request, nameOf(answer));
    if (answer instanceof Error) request.reject(answer);
    else request.resolve(answer);
  }

  loseRequest(request: Request): void {
    this.#tell(request, 'lost');
    this.#sendAgain(request, 'TimeoutError');
  }

  loseResponse(request: Request): void {
    this.#tell(request, `${nameOf(this.#apply(request))}, response lost`);
    this.#sendAgain(request, 'TimeoutError');
  }

  throttle(request: Request): void {
    this.#tell(request, 'throttled');
    this.#sendAgain(request, 'ThrottlingException');
  }

  /** The sender hears nothing and gives up; the request arrives later. */
  delay(request: Request): void {
    this.#tell(request, 'given up, still on its way');
    this.#remove(request);
    this.late.push(request);
    request.reject(named('TimeoutError'));
  }

  arriveLate(request: Request): void {
    this.late.splice(this.late.indexOf(request), 1);
    this.#tell(request, `${nameOf(this.#apply(request))}, late`);
  }

  /** What the sender had under way when it died arrives late, or not at all. */
  senderDied(owner: number, arrives: () => boolean): void {
    for (const request of this.pending.filter((one) => one.owner === owner)) {
      this.#remove(request);
      if (arrives()) this.late.push(request);
    }
  }

  #tell({ owner, command }: Request, what: string): void {
    this.#note(owner, `${describeCommand(command)} -> ${what}`);
  }

  #apply({ command }: Request): object | Error {
    try {
      return this.#db.apply(command);
    } catch (error) {
      if (error instanceof Error && error.name.endsWith('Exception')) return error;
      throw error;
    }
  }

  #sendAgain(request: Request, error: string): void {
    if (request.tries < MOST_TRIES) {
      request.tries++;
      return;
    }
    this.#remove(request);
    request.reject(named(error));
  }

  #remove(request: Request): void {
    this.pending.splice(this.pending.indexOf(request), 1);
  }
}

function nameOf(answer: object | Error): string {
  return answer instanceof Error ? answer.name : 'ok';
}

function named(name: string): Error {
  return Object.assign(new Error('simulated'), { name });
}

/** What a request is about, for the trace. */
function describeCommand(command: Command): string {
  const { Key, Item, TransactItems, ExpressionAttributeValues } = command.input as {
    Key?: { sk?: { S?: string } };
    Item?: { sk?: { S?: string }; status?: { S?: string } };
    TransactItems?: readonly unknown[];
    ExpressionAttributeValues?: Record<string, { S?: string; N?: string }>;
  };
  const values = ExpressionAttributeValues ?? {};
  const status =
    values[':status']?.S ?? Item?.status?.S ?? (values[':maxAttempts'] ? 'claim' : values[':holder'] ? 'takeTurn' : '');
  const token = values[':fencingToken']?.N;
  const name = command.constructor.name.replace('Command', '');
  const sort = (Key ?? Item)?.sk?.S ?? `${TransactItems?.length} items`;
  return [name, sort, status, token === undefined ? '' : `#${token}`].filter((part) => part !== '').join(' ');
}
