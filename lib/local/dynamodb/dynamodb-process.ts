/**
 * The DynamoDB endpoint's process: the engine on disk, the front that adds what it lacks, and an HTTP server on loopback.
 * Talks to its parent by IPC, and ends with it.
 *
 * argv: folder of the store, or `-` for memory; virtual minus real time, milliseconds.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDbFaults } from '../faults/dynamodb-faults.ts';
import { createTables } from './create-tables.ts';
import { DynamoDbEngine } from './dynamodb-engine.ts';
import { DynamoDbFront } from './dynamodb-front.ts';
import type { DynamoDbProcessNotice, DynamoDbProcessReply, DynamoDbProcessRequest } from './dynamodb-messages.ts';
import { type Answer, ApiError, type Body } from './front-types.ts';

const [path = '-', startOffset = '0'] = process.argv.slice(2);
let clockOffset = Number(startOffset);
const engine = new DynamoDbEngine(path === '-' ? undefined : path);
const front = new DynamoDbFront({
  forward: (operation, body) => engine.call(operation, body),
  now: () => Date.now() + clockOffset,
});

let faults: DynamoDbFaults | undefined;

const server = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const target = String(request.headers['x-amz-target'] ?? '');
    const fault = faults?.next(target);
    if (fault?.kind === 'throttle') send(response, fault.answer);
    else answer(target, body).then((result) => (fault === undefined ? send(response, result) : response.destroy()));
  });
});
// The functions' SDK clients keep their connections for as long as they live.
server.keepAliveTimeout = 0;

async function answer(target: string, text: string): Promise<Answer> {
  const operation = /^DynamoDB_20120810\.(\w+)$/.exec(target)?.[1];
  if (operation === undefined) return new ApiError('UnknownOperationException', '').toAnswer();
  let body: Body;
  try {
    body = JSON.parse(text) as Body;
  } catch {
    return new ApiError('SerializationException', 'the request is not valid JSON').toAnswer();
  }
  try {
    return await front.handle(operation, body);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: 500, body: { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message } };
  }
}

function send(response: http.ServerResponse, { status, body }: Answer): void {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'content-length': text.length });
  response.end(text);
}

function reply(message: DynamoDbProcessReply | DynamoDbProcessNotice): void {
  process.send?.(message);
}

process.on('disconnect', () => process.exit(0));
process.on('message', async (message: DynamoDbProcessRequest) => {
  if (message.do === 'setClock') {
    clockOffset = message.offset;
    return;
  }
  if (message.do === 'setFaults') {
    faults = new DynamoDbFaults(message.settings, (struck) => reply({ struck }));
    return;
  }
  try {
    await createTables((operation, body) => front.handle(operation, body), message.tables);
    reply({ tablesReady: true });
  } catch (error) {
    reply({ failed: error instanceof Error ? error.message : String(error) });
  }
});

// A first call opens the store: whether that works is known before anybody is told of the port.
await engine.call('ListTables', {});
server.listen(0, '127.0.0.1', () => reply({ port: (server.address() as AddressInfo).port }));
