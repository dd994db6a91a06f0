import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { EventBus } from '../../lib/adapters/event-bus/event-bus.ts';
import { type BatchAnswer, type StreamRecord, tellChanges } from './tell-changes.ts';

const { BELFRY_ENVIRONMENT: environment = '', BELFRY_BUS: busName = '' } = process.env;
const bus = new EventBus(new EventBridgeClient({}), busName);

export function handler({ Records }: { readonly Records: readonly StreamRecord[] }): Promise<BatchAnswer> {
  return tellChanges(environment, Records, (events) => bus.put(events));
}
