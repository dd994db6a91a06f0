import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadLetter } from '../../domain/operate/plan-dead-letters.ts';
import type { UndeliveredEvent } from '../../domain/watch/plan-cause.ts';
import { readDeadLetter } from './read-dead-letter.ts';

/** The most that SQS gives, or takes back, at once. */
const BATCH = 10;
const MOST_REQUESTS = 10;
/** Requests that bring nothing new: each sees a part of the queue, so one alone says little. */
const ENOUGH_IN_VAIN = 2;
/** Who waits is answered by the whole queue, who does not by a part of it: an empty answer then says that it is empty. */
const WAIT_SECONDS = 1;
/** While a person acts on messages, nobody else gets them. They come back by themselves when we are gone. */
const HELD_SECONDS = 120;
const MOST_HELD = 1_000;

export interface SeenLetters {
  readonly letters: readonly DeadLetter[];
  /** Whether it ended before it saw nothing new. */
  readonly mayBeMore: boolean;
}

/** Letters that nobody else gets until they are given back. */
export interface HeldLetters extends SeenLetters {
  /** For good. */
  remove(letter: DeadLetter): Promise<void>;
  /** All that were not removed. */
  giveBack(): Promise<void>;
}

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

  /** What is of occurrences: a hundred messages at most, in no order. */
  async look(abortSignal?: AbortSignal): Promise<readonly UndeliveredEvent[]> {
    const { letters } = await this.#list(0, abortSignal);
    return letters.flatMap(({ event, from, code, message }) =>
      event === undefined || (from !== 'scheduler' && from !== 'function')
        ? []
        : [{ job: event.job, scheduledTime: event.scheduledTime, from, code, message }],
    );
  }

  /** Each message once, in no order: a hundred at most. */
  list(): Promise<SeenLetters> {
    return this.#list(WAIT_SECONDS);
  }

  async #list(waitSeconds: number, abortSignal?: AbortSignal): Promise<SeenLetters> {
    const letters = new Map<string, DeadLetter>();
    for (let request = 0, inVain = 0; request < MOST_REQUESTS; request++) {
      const messages = await this.#receive(0, waitSeconds, abortSignal);
      const before = letters.size;
      for (const message of messages) letters.set(message.MessageId ?? '', readDeadLetter(message));
      inVain = letters.size > before ? 0 : inVain + 1;
      if (messages.length === 0 || inVain === ENOUGH_IN_VAIN)
        return { letters: [...letters.values()], mayBeMore: false };
    }
    return { letters: [...letters.values()], mayBeMore: true };
  }

  /** All messages, up to a thousand, for whoever acts on some of them. */
  async hold(): Promise<HeldLetters> {
    const held = new Map<string, { readonly letter: DeadLetter; readonly handle: string }>();
    const giveBack = async () => {
      const handles = [...held.values()].map(({ handle }) => handle);
      held.clear();
      for (let from = 0; from < handles.length; from += BATCH) {
        await this.#client.send(
          new ChangeMessageVisibilityBatchCommand({
            QueueUrl: this.#queueUrl,
            Entries: handles
              .slice(from, from + BATCH)
              .map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 })),
          }),
        );
      }
    };
    try {
      let messages: readonly Message[] = [];
      do {
        messages = await this.#receive(HELD_SECONDS, WAIT_SECONDS);
        for (const message of messages) {
          const letter = readDeadLetter(message);
          held.set(letter.id, { letter, handle: message.ReceiptHandle ?? '' });
        }
      } while (messages.length > 0 && held.size < MOST_HELD);
    } catch (error) {
      await giveBack();
      throw error;
    }
    return {
      letters: [...held.values()].map(({ letter }) => letter),
      mayBeMore: held.size >= MOST_HELD,
      remove: async ({ id }) => {
        const ReceiptHandle = held.get(id)?.handle;
        await this.#client.send(new DeleteMessageCommand({ QueueUrl: this.#queueUrl, ReceiptHandle }));
        held.delete(id);
      },
      giveBack,
    };
  }

  async #receive(hideSeconds: number, waitSeconds: number, abortSignal?: AbortSignal): Promise<readonly Message[]> {
    const { Messages = [] } = await this.#client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#queueUrl,
        MaxNumberOfMessages: BATCH,
        VisibilityTimeout: hideSeconds,
        WaitTimeSeconds: waitSeconds,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
      abortSignal === undefined ? {} : { abortSignal },
    );
    return Messages;
  }
}
