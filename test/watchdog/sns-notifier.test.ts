import { SNSClient } from '@aws-sdk/client-sns';
import { expect, test } from 'vitest';
import { SnsNotifier } from '../../lib/adapters/sns-notifier/sns-notifier.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');

test('a notification goes to the topic of its severity, with what to type', async () => {
  const client = new SNSClient({ region: 'eu-west-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } });
  const sent: Record<string, unknown>[] = [];
  client.middlewareStack.add(
    () => async (args) => {
      sent.push(args.input as unknown as Record<string, unknown>);
      return { output: { $metadata: {} }, response: {} };
    },
    { step: 'initialize' },
  );
  const notifier = new SnsNotifier(client, 'prod', { page: 'arn:page', ticket: 'arn:ticket', warn: 'arn:warn' });
  const about = { job: 'dunning', kind: 'failed', scheduledTime: NOON, since: NOON, count: 3 } as const;
  await notifier.notify({ ...about, change: 'opened', severity: 'ticket' });
  await notifier.notify({ ...about, change: 'recovered', severity: 'page' });
  expect(sent).toMatchObject([
    {
      TopicArn: 'arn:ticket',
      Subject: '[prod] dunning is not well',
      MessageAttributes: { change: { StringValue: 'opened' } },
    },
    { TopicArn: 'arn:page', Subject: '[prod] dunning is well again' },
  ]);
  expect(sent[0]?.Message).toContain('belfry run dunning 2026-06-01T12:00:00Z --environment prod');
});
