import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { DynamoDbEndpoint } from '../../../lib/local/dynamodb/dynamodb-endpoint.ts';
import { CREDENTIALS } from '../../support/dynamodb-server.ts';

test('a query on disk finds all items, also those that LevelDB hands over one at a time', async () => {
  const path = mkdtempSync(join(tmpdir(), 'belfry-large-'));
  const endpoint = await DynamoDbEndpoint.start({ path, now: Date.now });
  const client = new DynamoDBClient({ endpoint: endpoint.url, region: 'us-east-1', credentials: CREDENTIALS });
  try {
    const TableName = 'rosters';
    const keys = ['pk', 'sk'] as const;
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: keys.map((AttributeName) => ({ AttributeName, KeyType: AttributeName === 'pk' ? 'HASH' : 'RANGE' })),
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName });
    const Item = (part: number) => ({ pk: { S: 'all' }, sk: { S: `part#${part}` }, text: { S: 'x'.repeat(60_000) } });
    for (const part of [0, 1, 2]) await client.send(new PutItemCommand({ TableName, Item: Item(part) }));
    const query = new QueryCommand({
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': { S: 'all' }, ':prefix': { S: 'part#' } },
    });
    // The first time a table is asked, another part of the engine answers.
    for (let time = 1; time <= 2; time++) {
      const { Items } = await client.send(query);
      expect(Items?.map(({ sk }) => sk?.S)).toEqual(['part#0', 'part#1', 'part#2']);
    }
  } finally {
    client.destroy();
    await endpoint.close();
    rmSync(path, { recursive: true, force: true });
  }
});
