/**
 * A DynamoDB that knows nothing: answers each write at once as the first one of its item, so that what is measured is the
 * client side. Runs in a process of its own and tells its parent its port.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const ANSWER = '{}';

const server = http.createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': ANSWER.length });
    response.end(ANSWER);
  });
});
server.keepAliveTimeout = 0;
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
