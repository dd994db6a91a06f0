import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { DirectEngine } from '../../lib/local/dynamodb/direct/direct-engine.ts';
import { DynaliteEngine } from '../../lib/local/dynamodb/dynalite-engine.ts';
import { DynamoDbFront } from '../../lib/local/dynamodb/dynamodb-front.ts';
import { DynamoDbStore } from '../../lib/local/dynamodb/dynamodb-store.ts';
import type { Answer, Body } from '../../lib/local/dynamodb/front-types.ts';

/** What happens to one request on the network. */
export type Fate = 'deliver' | 'loseRequest' | 'loseResponse';

export interface DynamoDbServer extends AsyncDisposable {
  readonly url: string;
  readonly front: DynamoDbFront;
  /** Operations that reached the server, in order. */
  readonly operations: string[];
  /** Decides about each request; reset to deliver all. */
  fate: (operation: string, body: Body) => Fate | Promise<Fate>;
  client(): DynamoDBClient;
  createTable(name: string): Promise<void>;
}

export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The local runtime's DynamoDB in memory, over HTTP in this process; requests and responses can be lost. */
export async function startDynamoDb(
  options: { now?: () => number; hideReturnedItems?: boolean } = {},
): Promise<DynamoDbServer> {
  const front = await frontInMemory(options.now ?? Date.now);
  const operations: string[] = [];
  const clients: DynamoDBClient[] = [];
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const body = JSON.parse(text) as Body;
    operations.push(operation);
    const fate = await started.fate(operation, body);
    if (fate === 'loseRequest') return void response.destroy();
    const answer = await front.handle(operation, body);
    if (options.hideReturnedItems === true) hideItems(operation, answer);
    if (fate === 'loseResponse') return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const started: DynamoDbServer = {
    url,
    front,
    operations,
    fate: () => 'deliver',
    client() {
      const client = new DynamoDBClient({ endpoint: url, region: 'us-east-1', credentials: CREDENTIALS });
      clients.push(client);
      return client;
    },
    async createTable(name) {
      const client = started.client();
      await client.send(createRunTable(name));
      await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.1 }, { TableName: name });
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}

/** All of the local runtime's DynamoDB but its HTTP server, in memory. */
export async function frontInMemory(now: () => number): Promise<DynamoDbFront> {
  const store = await DynamoDbStore.open();
  const dynalite = new DynaliteEngine(store);
  return new DynamoDbFront({ store, dynalite, engine: new DirectEngine(store, dynalite), now });
}

/** As a store that does not know ReturnValuesOnConditionCheckFailure. */
function hideItems(operation: string, { status, body }: Answer): void {
  if (status === 200 || operation === 'GetItem') return;
  delete body.Item;
  for (const reason of (body.CancellationReasons ?? []) as Body[]) delete reason.Item;
}

export function createRunTable(TableName: string): CreateTableCommand {
  return new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
  });
}
