import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DYNAMODB_SETTINGS } from '../../lib/adapters/sdk-client/client-settings.ts';

test('a request that is never answered is sent again', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    if (requests > 1) response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new DynamoDBClient({
    ...DYNAMODB_SETTINGS,
    requestHandler: { ...DYNAMODB_SETTINGS.requestHandler, requestTimeout: 100 },
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  });
  const run = await new DynamoDbRunStore(client, 'runs').getRun({ job: 'sync', scheduledTime: 0 });
  expect(run).toBeUndefined();
  expect(requests).toBe(2);
  client.destroy();
  server.closeAllConnections();
  server.close();
});
