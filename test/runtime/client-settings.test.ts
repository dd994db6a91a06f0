import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test, vi } from 'vitest';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DYNAMODB_SETTINGS, endpointOf } from '../../lib/adapters/sdk-client/client-settings.ts';

test.each([
  [{}, { ignoreConfiguredEndpointUrls: true }],
  [{ AWS_ENDPOINT_URL: 'http://one' }, { endpoint: 'http://one' }],
  [{ AWS_ENDPOINT_URL: 'http://one', AWS_ENDPOINT_URL_DYNAMODB: 'http://own' }, { endpoint: 'http://own' }],
  [{ AWS_ENDPOINT_URL: 'http://one', AWS_ENDPOINT_URL_LAMBDA: 'http://other' }, { endpoint: 'http://one' }],
  [{ AWS_ENDPOINT_URL: '', AWS_ENDPOINT_URL_DYNAMODB: '' }, { ignoreConfiguredEndpointUrls: true }],
  [
    { AWS_ENDPOINT_URL: 'http://one', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
    { ignoreConfiguredEndpointUrls: true },
  ],
])('with %j in the environment the endpoint is %j, as the SDK has it', async (env, settings) => {
  expect(endpointOf('DYNAMODB', env)).toEqual(settings);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  // What the SDK by itself makes of the same environment.
  let asked = '';
  const client = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
    requestHandler: {
      handle: ({ hostname }: { readonly hostname: string }) => {
        asked = hostname;
        return Promise.reject(new Error('far enough'));
      },
    },
  });
  await expect(client.send(new ListTablesCommand({}))).rejects.toThrow('far enough');
  expect(asked).toBe('endpoint' in settings ? new URL(settings.endpoint).hostname : 'dynamodb.us-east-1.amazonaws.com');
  vi.unstubAllEnvs();
});

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
