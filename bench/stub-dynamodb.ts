/**
 * A DynamoDB that knows nothing: answers each operation at once with what its caller expects, so that what is measured is
 * the client side. Runs in a process of its own and tells its parent its port.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

type Values = Record<string, { S?: string; N?: string }>;

function answer(operation: string, text: string): object {
  const body = JSON.parse(text) as { Key: Values; ExpressionAttributeValues: Values; ReturnValues?: string };
  if (operation !== 'UpdateItem' || body.ReturnValues !== 'ALL_NEW') return {};
  const values = body.ExpressionAttributeValues;
  const Attributes = {
    ...body.Key,
    status: { S: 'running' },
    fencingToken: { N: '1' },
    attempts: { N: '1' },
    claimToken: values[':claimToken'],
    leaseExpiresAt: values[':leaseExpiresAt'],
    claimedAt: values[':now'],
    updatedAt: values[':now'],
    trigger: values[':trigger'],
    revision: values[':revision'],
    expiresAt: values[':expiresAt'],
  };
  return { Attributes };
}

const server = http.createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const body = JSON.stringify(answer(operation, text));
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': body.length });
    response.end(body);
  });
});
server.keepAliveTimeout = 0;
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
