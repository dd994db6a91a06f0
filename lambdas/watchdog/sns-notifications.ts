import { SNSClient } from '@aws-sdk/client-sns';
import { CLIENT_SETTINGS } from '../../lib/adapters/sdk-client/client-settings.ts';
import { SnsNotifier, type Topics } from '../../lib/adapters/sns-notifier/sns-notifier.ts';
import type { MessagePlace } from '../../lib/domain/watch/message-text.ts';
import type { Notifier } from '../../lib/domain/watch/ports.ts';

// Loaded with the first message: most sweeps have none.
const client = new SNSClient(CLIENT_SETTINGS);

export function snsNotifier(topics: Topics, place: MessagePlace): Notifier {
  return new SnsNotifier(client, topics, place);
}
