import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { Severity } from '../../domain/contract/severity.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import type { Notification } from '../../domain/watch/plan-notifications.ts';
import type { Notifier } from '../../domain/watch/ports.ts';

/** ARN of a topic for each severity. */
export type Topics = Readonly<Record<Severity, string>>;

/** SNS takes so much of a subject. */
const LONGEST_SUBJECT = 100;

/** Publishes to the topic of the notification's severity; attributes let subscribers filter. */
export class SnsNotifier implements Notifier {
  readonly #client: SNSClient;
  readonly #environment: string;
  readonly #topics: Topics;

  constructor(client: SNSClient, environment: string, topics: Topics) {
    this.#client = client;
    this.#environment = environment;
    this.#topics = topics;
  }

  async notify(notification: Notification): Promise<void> {
    const { job, change, severity } = notification;
    const attribute = (StringValue: string) => ({ DataType: 'String', StringValue });
    await this.#client.send(
      new PublishCommand({
        TopicArn: this.#topics[severity],
        Subject: subject(this.#environment, notification),
        Message: message(this.#environment, notification),
        MessageAttributes: { job: attribute(job), change: attribute(change), severity: attribute(severity) },
      }),
    );
  }
}

const CHANGES: Readonly<Record<Notification['change'], string>> = {
  opened: 'is not well',
  escalated: 'is worse',
  reminder: 'is still not well',
  recovered: 'is well again',
};

function subject(environment: string, { job, change }: Notification): string {
  return `[${environment}] ${job} ${CHANGES[change]}`.slice(0, LONGEST_SUBJECT);
}

function message(environment: string, notification: Notification): string {
  const { job, kind, scheduledTime, since, count, change } = notification;
  const occurrence = formatInstant(scheduledTime);
  const what = `${kind}, last the occurrence of ${occurrence}; ${count} in all since ${formatInstant(since)}`;
  return [
    `Job ${job} of ${environment} ${CHANGES[change]}: ${change === 'recovered' ? `was ${what}` : what}.`,
    `belfry run ${job} ${occurrence} --environment ${environment}`,
    `belfry runs ${job} --environment ${environment}`,
  ].join('\n');
}
