import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { BelfryError } from '../../domain/errors.ts';
import type { TableResource } from '../assembly/resources.ts';
import { wholeBody } from '../endpoints/whole-body.ts';
import { DynamoDbFaults } from '../faults/dynamodb-faults.ts';
import type { FaultSettings } from '../faults/fault-settings.ts';
import { createTables } from './create-tables.ts';
import { DirectEngine } from './direct/direct-engine.ts';
import { DynaliteEngine } from './dynalite-engine.ts';
import { DynamoDbFront } from './dynamodb-front.ts';
import { DynamoDbStore, type TellChange } from './dynamodb-store.ts';
import { type Answer, ApiError, type Body } from './front-types.ts';
import { StoreTrouble, type TellTrouble } from './store-trouble.ts';

const START_ATTEMPTS = 5;
const START_PAUSE_MS = 300;
const READING = /^(?:Get|BatchGet|TransactGet|Query|Scan|List|Describe)/;

export interface DynamoDbEndpointOptions {
  /** Folder of the store; in memory without one. */
  readonly path?: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onTrouble?: TellTrouble;
}

/** The DynamoDB API on loopback. */
export class DynamoDbEndpoint {
  readonly url: string;
  readonly #server: http.Server;
  readonly #store: DynamoDbStore;
  readonly #front: DynamoDbFront;
  readonly #trouble: StoreTrouble;
  #faults: DynamoDbFaults | undefined;

  private constructor(store: DynamoDbStore, server: http.Server, { now, onTrouble }: DynamoDbEndpointOptions) {
    this.#store = store;
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const dynalite = new DynaliteEngine(store);
    this.#front = new DynamoDbFront({ store, dynalite, engine: new DirectEngine(store, dynalite), now });
    this.#trouble = new StoreTrouble(store.path, onTrouble ?? (() => {}));
    server.on('request', (request, response) => this.#receive(request, response));
  }

  /** @throws BelfryError `DynamoDbFailed` when the store cannot be opened */
  static async start(options: DynamoDbEndpointOptions): Promise<DynamoDbEndpoint> {
    const store = await openStore(options.path);
    // The functions' SDK clients keep their connections for as long as they live.
    const server = http.createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new DynamoDbEndpoint(store, server, options);
  }

  /** @throws BelfryError `TableRefused`, `TableChanged` */
  async createTables(tables: readonly TableResource[]): Promise<void> {
    await createTables((operation, body) => this.#front.handle(operation, body), tables);
  }

  /** Lets faults strike the requests from now on; each is reported when it does. */
  setFaults(settings: FaultSettings, report: (text: string) => void): void {
    this.#faults = new DynamoDbFaults(settings, report);
  }

  /** Tells of every change of an item in these tables, in the order of writing, once it is stored. */
  watch(tableNames: ReadonlySet<string>, tell: TellChange): void {
    this.#store.watch(tableNames, tell);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#store.close();
  }

  #receive(request: http.IncomingMessage, response: http.ServerResponse): void {
    wholeBody(request, (body) => {
      const target = String(request.headers['x-amz-target'] ?? '');
      const fault = this.#faults?.next(target);
      if (fault?.kind === 'throttle') send(response, fault.answer);
      else {
        this.#answer(target, body).then((answer) =>
          fault === undefined ? send(response, answer) : response.destroy(),
        );
      }
    });
  }

  async #answer(target: string, text: string): Promise<Answer> {
    const operation = /^DynamoDB_20120810\.(\w+)$/.exec(target)?.[1];
    if (operation === undefined) return new ApiError('UnknownOperationException', '').toAnswer();
    let body: Body;
    try {
      body = JSON.parse(text) as Body;
    } catch {
      return new ApiError('SerializationException', 'the request is not valid JSON').toAnswer();
    }
    try {
      const answer = await this.#front.handle(operation, body);
      if (answer.status === 200 && !READING.test(operation)) this.#trouble.clear();
      return answer;
    } catch (error) {
      const failed = this.#store.failure !== undefined;
      const message = failed ? this.#trouble.strike(error) : error instanceof Error ? error.message : String(error);
      return { status: 500, body: { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message } };
    }
  }
}

async function openStore(path: string | undefined): Promise<DynamoDbStore> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await DynamoDbStore.open(path);
    } catch (error) {
      // The process of a run that was killed a moment ago may still be letting go of the store.
      if (attempt < START_ATTEMPTS && path !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS));
        continue;
      }
      const { cause } = error as Error;
      const reason = cause instanceof Error ? cause.message : String(error);
      throw new BelfryError('DynamoDbFailed', `the tables in ${path ?? 'memory'} cannot be opened: ${reason}`, {
        cause: error,
      });
    }
  }
}

function send(response: http.ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body);
  response.sendDate = false;
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
