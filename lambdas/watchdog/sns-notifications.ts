import { SNSClient } from '@aws-sdk/client-sns';
import { SnsNotifier, type Topics } from '../../lib/adapters/sns-notifier/sns-notifier.ts';
import type { Notifier } from '../../lib/domain/watch/ports.ts';

export function snsNotifier(environment: string, topics: Topics): Notifier {
  return new SnsNotifier(new SNSClient({}), environment, topics);
}
