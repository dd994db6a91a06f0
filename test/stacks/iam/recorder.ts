import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { ACCOUNT, REGION } from '../../../lib/local/assembly/local-account.ts';
import type { FunctionResource, TableResource } from '../../../lib/local/assembly/resources.ts';
import { createTables } from '../../../lib/local/dynamodb/create-tables.ts';
import type { DynamoDbFront } from '../../../lib/local/dynamodb/dynamodb-front.ts';
import { frontInMemory } from '../../support/dynamodb-server.ts';
import type { Call } from './policy.ts';

type Body = Record<string, unknown>;
type Key = Record<string, { readonly S?: string }>;

/** An endpoint for DynamoDB, Lambda, SNS and EventBridge Scheduler that answers, and writes down what it was asked in the words of IAM. */
export class Recorder {
  readonly calls: Call[] = [];
  /** Inputs of schedules that can be looked at, by name. */
  readonly inputs = new Map<string, string>();
  /** Sort keys of items that somebody deletes just before they are changed. */
  readonly vanishing = new Set<string>();
  private readonly front: Promise<DynamoDbFront> = frontInMemory(() => Date.now());
  private readonly server: Server = createServer((request, response) => {
    this.answer(request).then(({ status, text, type }) => {
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
      response.end(text);
    });
  });

  async start(tables: readonly TableResource[]): Promise<void> {
    const front = await this.front;
    await createTables((operation, body) => front.handle(operation, body), tables);
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  get url(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? '') : ''}`;
  }

  /**
   * Runs a deployed bundle in a process of its own, with the function's variables, on a clock that begins at `at`.
   *
   * @param rounds events: the rounds one after the other, each `after` so many minutes; the events of a round together
   */
  async run(
    fn: FunctionResource,
    at: string,
    rounds: readonly { after: number; events: readonly object[] }[],
  ): Promise<Call[]> {
    const before = this.calls.length;
    const script = `
      const real = Date; let shift = 0;
      globalThis.Date = class extends real {
        constructor(...given) { if (given.length === 0) super(real.now() + shift); else super(...given); }
        static now() { return real.now() + shift; }
      };
      const { handler } = await import(${JSON.stringify(join(fn.codePath, 'index.mjs'))});
      for (const { after, events } of ${JSON.stringify(rounds)}) {
        shift = real.parse(${JSON.stringify(at)}) + after * 60_000 - real.now();
        await Promise.allSettled(events.map((event) => handler(event, {
          awsRequestId: crypto.randomUUID(), invokedFunctionArn: ${JSON.stringify(fn.arn)}, getRemainingTimeInMillis: () => 60_000,
        })));
      }
      process.exit(0);`;
    const { url } = this;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      env: {
        ...fn.variables,
        LAMBDA_TASK_ROOT: fn.codePath,
        AWS_REGION: REGION,
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_ENDPOINT_URL: url,
        AWS_ENDPOINT_URL_DYNAMODB: url,
        AWS_ENDPOINT_URL_LAMBDA: url,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`${fn.name} ended with ${String(code)}: ${complaints}`);
    return this.calls.slice(before);
  }

  private async answer(request: IncomingMessage): Promise<{ status: number; text: string; type: string }> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
    const functionName = /\/functions\/([^/]+)\/invocations/.exec(request.url ?? '')?.[1];
    if (functionName !== undefined) {
      this.calls.push({
        action: 'lambda:InvokeFunction',
        resource: lambdaArn(decodeURIComponent(functionName)),
        context: {},
      });
      return { status: 202, text: '', type: 'application/json' };
    }
    const looked = lookCall(request);
    if (looked !== undefined) {
      this.calls.push(looked);
      const input = this.inputs.get(looked.resource.split('/').at(-1) ?? '');
      const text = input === undefined ? '{}' : JSON.stringify({ Target: { Input: input } });
      return { status: 200, text, type: 'application/json' };
    }
    if (request.method === 'POST' && request.url?.startsWith('/schedules/')) {
      this.calls.push(...scheduleCalls(decodeURIComponent(request.url.slice('/schedules/'.length)), JSON.parse(text)));
      return { status: 200, text: '{}', type: 'application/json' };
    }
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    if (operation === 'ReceiveMessage') {
      const queue = String((JSON.parse(text) as { QueueUrl?: unknown }).QueueUrl)
        .split('/')
        .at(-1);
      this.calls.push({
        action: 'sqs:ReceiveMessage',
        resource: `arn:aws:sqs:${REGION}:${ACCOUNT}:${queue}`,
        context: {},
      });
      return { status: 200, text: '{}', type: 'application/x-amz-json-1.0' };
    }
    const topic = new URLSearchParams(text).get('TopicArn');
    if (topic !== null) {
      this.calls.push({ action: 'sns:Publish', resource: topic, context: {} });
      const answer = '<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>';
      return { status: 200, text: answer, type: 'text/xml' };
    }
    const body = JSON.parse(text) as Body;
    this.calls.push(...dynamoDbCalls(operation, body));
    const front = await this.front;
    const { TableName, Key } = body;
    if (operation === 'UpdateItem' && this.vanishing.delete((Key as Key).sk?.S ?? '')) {
      await front.handle('DeleteItem', { TableName, Key });
    }
    const answer = await front.handle(operation, body);
    return { status: answer.status, text: JSON.stringify(answer.body), type: 'application/x-amz-json-1.0' };
  }
}

/** What is only looked at: a function's configuration, its concurrency, a schedule. */
function lookCall({ method, url = '' }: IncomingMessage): Call | undefined {
  if (method !== 'GET') return undefined;
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const [, functionName, part] = /\/functions\/([^/]+)\/(configuration|concurrency)$/.exec(pathname) ?? [];
  if (functionName !== undefined) {
    const action = part === 'configuration' ? 'lambda:GetFunctionConfiguration' : 'lambda:GetFunctionConcurrency';
    return { action, resource: lambdaArn(decodeURIComponent(functionName)), context: {} };
  }
  const schedule = /^\/schedules\/([^/]+)$/.exec(pathname)?.[1];
  if (schedule === undefined) return undefined;
  const resource = `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/${searchParams.get('groupName')}/${decodeURIComponent(schedule)}`;
  return { action: 'scheduler:GetSchedule', resource, context: {} };
}

/** What is checked when somebody makes a schedule, and what EventBridge then does in the name of the role it was given. */
function scheduleCalls(name: string, { GroupName, Target }: Body): Call[] {
  const { Arn, RoleArn } = Target as { readonly Arn: string; readonly RoleArn: string };
  const resource = `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/${String(GroupName)}/${name}`;
  return [
    { action: 'scheduler:CreateSchedule', resource, context: {} },
    { action: 'iam:PassRole', resource: RoleArn, context: { 'iam:PassedToService': ['scheduler.amazonaws.com'] } },
    { action: 'lambda:InvokeFunction', resource: Arn, context: {} },
  ];
}

/** What DynamoDB checks for a request: an action on a table, with the partitions it names. */
function dynamoDbCalls(operation: string, body: Body): Call[] {
  switch (operation) {
    case 'TransactWriteItems':
      return (body.TransactItems as Record<string, Body>[]).flatMap((item) =>
        Object.entries(item).map(([kind, write]) =>
          tableCall(kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`, write),
        ),
      );
    case 'BatchGetItem':
      return Object.entries(body.RequestItems as Record<string, { Keys: Key[] }>).map(([table, { Keys }]) =>
        call(
          operation,
          table,
          Keys.map(({ pk }) => pk?.S ?? ''),
        ),
      );
    default:
      return [tableCall(operation, body)];
  }
}

function tableCall(operation: string, body: Body): Call {
  const key = (body.Key ?? body.Item) as Key | undefined;
  const values = (body.ExpressionAttributeValues ?? {}) as Key;
  const partition =
    key?.pk?.S ?? (operation === 'Query' ? partitionOf(String(body.KeyConditionExpression), values) : undefined);
  return call(operation, String(body.TableName), partition === undefined ? undefined : [partition]);
}

/** The value that the first placeholder of a key condition stands for: it is the partition's. */
function partitionOf(condition: string, values: Key): string | undefined {
  return values[/:\w+/.exec(condition)?.[0] ?? '']?.S;
}

function call(operation: string, table: string, partitions: readonly string[] | undefined): Call {
  return {
    action: `dynamodb:${operation}`,
    resource: `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}`,
    context: partitions === undefined ? {} : { 'dynamodb:LeadingKeys': partitions },
  };
}

function lambdaArn(name: string): string {
  return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`;
}
