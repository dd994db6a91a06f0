/**
 * The DynamoDB endpoint's process: the engine on disk behind an HTTP server on loopback. Talks to its parent by IPC, and
 * ends with it.
 *
 * argv: folder of the store, or `-` for memory.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTables } from './create-tables.ts';
import { DynamoDbEngine } from './dynamodb-engine.ts';
import type { DynamoDbProcessReply, DynamoDbProcessRequest } from './dynamodb-messages.ts';

const [path = '-'] = process.argv.slice(2);
const engine = new DynamoDbEngine(path === '-' ? undefined : path);

const server = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    engine.call(operation, body).then(({ status, body: answer }) => {
      response.writeHead(status, {
        'content-type': 'application/x-amz-json-1.0',
        'content-length': Buffer.byteLength(answer),
      });
      response.end(answer);
    });
  });
});
// The functions' SDK clients keep their connections for as long as they live.
server.keepAliveTimeout = 0;

function reply(message: DynamoDbProcessReply): void {
  process.send?.(message);
}

process.on('disconnect', () => process.exit(0));
process.on('message', async (message: DynamoDbProcessRequest) => {
  if (message.do === 'createTables') {
    try {
      await createTables(engine, message.tables);
      reply({ tablesReady: true });
    } catch (error) {
      reply({ failed: error instanceof Error ? error.message : String(error) });
    }
  }
});

// A first call opens the store: whether that works is known before anybody is told of the port.
await engine.call('ListTables', '{}');
server.listen(0, '127.0.0.1', () => reply({ port: (server.address() as AddressInfo).port }));
