import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { UndeliveredEvent } from '../../domain/watch/plan-cause.ts';

const MOST_REQUESTS = 10;
/** Requests that bring nothing new: each sees a part of the queue, so one alone says little. */
const ENOUGH_IN_VAIN = 2;

/**
 * The queue of events that were given up. Looking takes nothing out of it and hides nothing: an alarm on what is visible
 * would go quiet, and ring again.
 */
export class DeadLetterQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** A hundred messages at most, in no order. */
  async look(abortSignal?: AbortSignal): Promise<readonly UndeliveredEvent[]> {
    const events = new Map<string, UndeliveredEvent | undefined>();
    for (let request = 0, inVain = 0; request < MOST_REQUESTS && inVain < ENOUGH_IN_VAIN; request++) {
      const { Messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#queueUrl,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: 0,
          MessageAttributeNames: ['All'],
        }),
        abortSignal === undefined ? {} : { abortSignal },
      );
      if (Messages.length === 0) break;
      const before = events.size;
      for (const message of Messages) events.set(message.MessageId ?? '', readUndelivered(message));
      inVain = events.size > before ? 0 : inVain + 1;
    }
    return [...events.values()].filter((event) => event !== undefined);
  }
}

/** EventBridge Scheduler and Lambda both put the event in the body, and the reason into attributes named differently. */
export function readUndelivered({ Body = '', MessageAttributes = {} }: Message): UndeliveredEvent | undefined {
  const attribute = (name: string) => MessageAttributes[name]?.StringValue;
  const isScheduler = attribute('ERROR_CODE') !== undefined || attribute('SCHEDULE_ARN') !== undefined;
  const event = eventOf(Body);
  // A payload that was too long is cut; the schedule is named after the job.
  const job =
    event?.job ??
    attribute('SCHEDULE_ARN')
      ?.split('/')
      .at(-1)
      ?.replace(/\.\d+$/, '');
  const scheduledTime = Date.parse(event?.scheduledTime ?? attribute('SCHEDULED_TIME') ?? '');
  if (job === undefined || Number.isNaN(scheduledTime)) return undefined;
  return {
    job,
    scheduledTime,
    from: isScheduler ? 'scheduler' : 'function',
    code: attribute('ERROR_CODE') ?? attribute('ErrorCode') ?? '',
    message: attribute('ERROR_MESSAGE') ?? attribute('ErrorMessage') ?? '',
  };
}

function eventOf(body: string): { readonly job: string; readonly scheduledTime: string } | undefined {
  try {
    const { job, scheduledTime } = JSON.parse(body) as { readonly job?: unknown; readonly scheduledTime?: unknown };
    return typeof job === 'string' && typeof scheduledTime === 'string' ? { job, scheduledTime } : undefined;
  } catch {
    return undefined;
  }
}
