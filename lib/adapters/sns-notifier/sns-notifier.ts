import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { Severity } from '../../domain/contract/severity.ts';
import { type MessagePlace, messageText } from '../../domain/watch/message-text.ts';
import type { Message } from '../../domain/watch/plan-telling.ts';
import type { Notifier } from '../../domain/watch/ports.ts';

/** ARN of a topic for each severity. */
export type Topics = Readonly<Record<Severity, string>>;

/** SNS takes so much: of a subject in characters, of which none may be beyond ASCII or break the line, of a message in bytes, with its attributes 256 KB. */
const LONGEST_SUBJECT = 100;
const LONGEST_MESSAGE = 250_000;

/** Publishes to the topic of the message's severity. Attributes let subscribers filter, and know a message that comes twice. */
export class SnsNotifier implements Notifier {
  readonly #client: SNSClient;
  readonly #topics: Topics;
  readonly #place: MessagePlace;

  constructor(client: SNSClient, topics: Topics, place: MessagePlace) {
    this.#client = client;
    this.#topics = topics;
    this.#place = place;
  }

  async notify(message: Message, signal: AbortSignal): Promise<void> {
    const { id, change, kind, severity, incidents } = message;
    const { subject, body } = messageText(message, this.#place);
    const [first] = incidents;
    const attributes = {
      incident: id,
      change,
      kind,
      severity,
      environment: this.#place.environment,
      scheduler: this.#place.scheduler,
      ...(first !== undefined && incidents.length === 1 ? { job: first.job } : {}),
    };
    await this.#client.send(
      new PublishCommand({
        TopicArn: this.#topics[severity],
        Subject: asSubject(subject),
        Message: cut(body),
        MessageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
        ),
      }),
      { abortSignal: signal },
    );
  }
}

function asSubject(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, '?');
  return printable.length <= LONGEST_SUBJECT ? printable : `${printable.slice(0, LONGEST_SUBJECT - 3)}...`;
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= LONGEST_MESSAGE) return text;
  // A character that was cut in two becomes one of three bytes.
  return bytes.subarray(0, LONGEST_MESSAGE - 3).toString('utf8');
}
