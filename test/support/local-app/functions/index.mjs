/** Handlers of the stand-in app. They print what the real runtime prints. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let invocations = 0;

function print(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function ran(event, status, started, attempt = 1) {
  print({
    event: 'run',
    job: event.job,
    scheduledTime: event.scheduledTime,
    status,
    attempt,
    trigger: event.trigger ?? 'schedule',
    durationMs: Date.now() - started,
    at: new Date().toISOString(),
  });
}

async function dynamoDb(operation, body) {
  const response = await fetch(process.env.AWS_ENDPOINT_URL_DYNAMODB, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      authorization: 'AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0',
      'x-amz-date': '20260101T000000Z',
    },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** Succeeds, and writes one item under its scheduled time. */
export async function beat(event) {
  const started = Date.now();
  const key = { pk: { S: `J#${event.job}` }, sk: { S: `R#${event.scheduledTime}` } };
  await dynamoDb('PutItem', { TableName: process.env.BELFRY_TABLE, Item: key });
  ran(event, 'succeeded', started);
  return { ok: true };
}

/** Counts what `beat` wrote. */
export async function count() {
  const { Count } = await dynamoDb('Scan', { TableName: process.env.BELFRY_TABLE, Select: 'COUNT' });
  return Count;
}

/** Tells what it sees of the world. */
export async function look(event, context) {
  invocations++;
  const { promise, resolve } = Promise.withResolvers();
  setTimeout(resolve, event.wait ?? 0);
  await promise;
  return {
    environment: { ...process.env },
    argv: process.argv.slice(2),
    execArgv: process.execArgv,
    cwd: process.cwd(),
    now: Date.now(),
    date: new Date().toISOString(),
    isDate: new Date() instanceof Date && Object.prototype.toString.call(new Date()) === '[object Date]',
    remaining: context.getRemainingTimeInMillis(),
    functionName: context.functionName,
    arn: context.invokedFunctionArn,
    requestId: context.awsRequestId,
    invocations,
  };
}

/** Keeps something where temporary files go. */
export async function temporary({ write }) {
  const file = join(tmpdir(), 'kept');
  if (write !== undefined) writeFileSync(file, write);
  return { folder: tmpdir(), kept: existsSync(file) ? readFileSync(file, 'utf8') : undefined };
}

export async function hang() {
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

export async function spin() {
  for (;;) Math.random();
}

export async function crash() {
  process.exit(3);
}

export async function throws(event) {
  console.error('about to fail');
  class OrderMissing extends Error {}
  OrderMissing.prototype.name = 'OrderMissing';
  throw new OrderMissing(`no order for ${event.job}`);
}

export async function greedy() {
  const hoard = [];
  for (;;) {
    hoard.push(Buffer.alloc(8 * 1024 * 1024, 1));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Takes as long as the event says, then succeeds. */
export async function slow(event) {
  const started = Date.now();
  await new Promise((resolve) => setTimeout(resolve, event.wait ?? 1_500));
  ran(event, 'succeeded', started);
}

/** A watchdog that reports one missed occurrence every time. */
export async function missing(event) {
  const at = new Date();
  print({ event: 'missed', job: 'beat', scheduledTime: event.scheduledTime, cause: 'not fired', at: at.toISOString() });
  print({
    _aws: {
      Timestamp: at.getTime(),
      CloudWatchMetrics: [{ Namespace: 'Belfry', Dimensions: [['Environment']], Metrics: [{ Name: 'Missed' }] }],
    },
    Environment: 'dev',
    Missed: 1,
  });
}
