import { createHash } from 'node:crypto';
import type { LocalQueues, QueueMessage } from '../queues/local-queues.ts';
import { AwsError, sendJson } from './aws-error.ts';
import type { EndpointRoute } from './endpoint-server.ts';

interface SqsRequest {
  readonly QueueUrl?: string;
  readonly QueueName?: string;
  readonly MessageBody?: string;
  readonly MessageAttributes?: { readonly [name: string]: { readonly StringValue?: string } };
  readonly MessageAttributeNames?: readonly string[];
  readonly MaxNumberOfMessages?: number;
  readonly VisibilityTimeout?: number;
  readonly ReceiptHandle?: string;
  readonly Entries?: readonly {
    readonly Id?: string;
    readonly ReceiptHandle?: string;
    readonly VisibilityTimeout?: number;
  }[];
}

const DEFAULT_HIDE_S = 30;

const KNOWN = [
  'GetQueueUrl',
  'SendMessage',
  'ReceiveMessage',
  'DeleteMessage',
  'ChangeMessageVisibilityBatch',
  'GetQueueAttributes',
];

/** SQS, as far as dead-letter queues need it: send, receive, give back, delete, and how much there is. */
export function sqsRoute(queues: LocalQueues): EndpointRoute {
  return async ({ headers, body }, response) => {
    const operation = /^AmazonSQS\.(\w+)$/.exec(String(headers['x-amz-target'] ?? ''))?.[1];
    if (operation === undefined) return undefined;
    const answer = answerTo(queues, operation, JSON.parse(body === '' ? '{}' : body) as SqsRequest);
    if (answer === undefined) return undefined;
    sendJson(response, 200, answer);
    return true;
  };
}

function answerTo(queues: LocalQueues, operation: string, request: SqsRequest): object | undefined {
  const name = request.QueueUrl?.split('/').at(-1) ?? request.QueueName ?? '';
  if (!KNOWN.includes(operation)) return undefined;
  if (!queues.has(name)) {
    throw new AwsError(400, 'QueueDoesNotExist', `The specified queue does not exist: ${name}`);
  }
  switch (operation) {
    case 'GetQueueUrl':
      return { QueueUrl: `https://sqs.us-east-1.amazonaws.com/000000000000/${name}` };
    case 'SendMessage': {
      const given = Object.entries(request.MessageAttributes ?? {});
      const attributes = Object.fromEntries(given.map(([key, { StringValue = '' }]) => [key, StringValue]));
      const sent = queues.send(name, request.MessageBody ?? '', attributes);
      return { MessageId: sent?.messageId, MD5OfMessageBody: md5(request.MessageBody ?? '') };
    }
    case 'ReceiveMessage': {
      const hideMs = (request.VisibilityTimeout ?? DEFAULT_HIDE_S) * 1000;
      const messages = queues.receive(name, Math.min(request.MaxNumberOfMessages ?? 1, 10), hideMs);
      const withAttributes = (request.MessageAttributeNames ?? []).length > 0;
      return { Messages: messages.map((message) => describe(message, withAttributes)) };
    }
    case 'DeleteMessage':
      queues.delete(name, request.ReceiptHandle ?? '');
      return {};
    case 'ChangeMessageVisibilityBatch': {
      const entries = request.Entries ?? [];
      for (const { ReceiptHandle = '', VisibilityTimeout = DEFAULT_HIDE_S } of entries) {
        queues.hide(name, ReceiptHandle, VisibilityTimeout * 1000);
      }
      return { Successful: entries.map(({ Id }) => ({ Id })), Failed: [] };
    }
    default: {
      const { visible, hidden } = queues.count(name);
      return {
        Attributes: {
          ApproximateNumberOfMessages: String(visible),
          ApproximateNumberOfMessagesNotVisible: String(hidden),
          ApproximateNumberOfMessagesDelayed: '0',
        },
      };
    }
  }
}

function describe(message: QueueMessage & { readonly receives: number }, withAttributes: boolean): object {
  const attributes = Object.entries(message.attributes).map(([name, StringValue]) => [
    name,
    { DataType: 'String', StringValue },
  ]);
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.messageId,
    Body: message.body,
    MD5OfBody: md5(message.body),
    Attributes: { SentTimestamp: String(message.sentAt), ApproximateReceiveCount: String(message.receives) },
    ...(withAttributes ? { MessageAttributes: Object.fromEntries(attributes) } : {}),
  };
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
