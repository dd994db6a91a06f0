import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import dynalite from 'dynalite';
import type { Answer, Body } from './front-types.ts';

/** The engine authenticates nobody, but insists on being asked in form. */
const HEADERS = {
  'content-type': 'application/x-amz-json-1.0',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  'x-amz-date': '20260101T000000Z',
};

/** dynalite, called in its own process without a socket in between. */
export class DynamoDbEngine {
  readonly #server: ReturnType<typeof dynalite>;

  /** @param path folder of the store; in memory without one */
  constructor(path?: string) {
    const location = path === undefined ? {} : { path };
    this.#server = dynalite({ ...location, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  }

  call(operation: string, body: Body): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = new EventEmitter();
      const headers = { ...HEADERS, 'x-amz-target': `DynamoDB_20120810.${operation}` };
      Object.assign(request, { method: 'POST', url: '/', headers });
      const response = {
        statusCode: 200,
        setHeader: () => {},
        end: (text: string) => {
          try {
            resolve({ status: response.statusCode, body: JSON.parse(text) as Body });
          } catch (error) {
            reject(error);
          }
        },
      };
      this.#server.emit('request', request as IncomingMessage, response as unknown as ServerResponse<IncomingMessage>);
      request.emit('data', Buffer.from(JSON.stringify(body)));
      request.emit('end');
    });
  }
}
