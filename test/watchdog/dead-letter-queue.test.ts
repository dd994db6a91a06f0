import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { DeadLetterQueue } from '../../lib/adapters/dead-letter-queue/dead-letter-queue.ts';

const scheduledTime = (minute: number) => new Date(Date.parse('2026-06-01T12:00:00Z') + minute * 60_000).toISOString();

/** A queue of so many messages, of which each request sees the next ten, as SQS shows a part of its own at a time. */
async function queueOf(count: number) {
  const hidden: unknown[] = [];
  let next = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    hidden.push((JSON.parse(body) as { readonly VisibilityTimeout?: unknown }).VisibilityTimeout);
    const Messages = Array.from({ length: Math.min(10, count) }, () => {
      const minute = next++ % count;
      const attribute = (StringValue: string) => ({ DataType: 'String', StringValue });
      return {
        MessageId: `m${minute}`,
        Body: JSON.stringify({ job: 'sync', scheduledTime: scheduledTime(minute) }),
        MessageAttributes: { ERROR_CODE: attribute('AccessDenied'), ERROR_MESSAGE: attribute('no') },
      };
    });
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end(JSON.stringify({ Messages }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new SQSClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'k', secretAccessKey: 's' },
    useQueueUrlAsEndpoint: false,
    md5: false,
  });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { queue: new DeadLetterQueue(client, 'https://sqs.us-east-1.amazonaws.com/000000000000/dead'), hidden };
}

test('looking hides nothing: an alarm on what is visible would go quiet and ring again', async () => {
  const { queue, hidden } = await queueOf(3);
  expect(await queue.look()).toHaveLength(3);
  expect(new Set(hidden)).toEqual(new Set([0]));
});

test('each event is there once, however often it was shown', async () => {
  const { queue } = await queueOf(35);
  const events = await queue.look();
  expect(new Set(events.map((event) => event.scheduledTime)).size).toBe(35);
  expect(events).toHaveLength(35);
  expect(events[0]).toMatchObject({ job: 'sync', from: 'scheduler', code: 'AccessDenied', message: 'no' });
});

test('an empty queue is asked once', async () => {
  const { queue, hidden } = await queueOf(0);
  expect(await queue.look()).toEqual([]);
  expect(hidden).toHaveLength(1);
});
