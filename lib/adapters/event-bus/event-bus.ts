import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { LifecycleEvent } from '../../domain/run/lifecycle-event.ts';

export const EVENT_SOURCE = 'belfry';
export const DETAIL_TYPE = 'Belfry Run State Change';

/** PutEvents takes so many at a time. */
const ENTRIES_PER_REQUEST = 10;

/** Puts lifecycle events on a bus, in order. */
export class EventBus {
  readonly #client: EventBridgeClient;
  readonly #busName: string;

  constructor(client: EventBridgeClient, busName: string) {
    this.#client = client;
    this.#busName = busName;
  }

  /** Stops at the first that the bus does not take. Returns how many it took. */
  async put(events: readonly LifecycleEvent[]): Promise<number> {
    for (let start = 0; start < events.length; start += ENTRIES_PER_REQUEST) {
      const part = events.slice(start, start + ENTRIES_PER_REQUEST);
      const { Entries = [] } = await this.#client.send(
        new PutEventsCommand({
          Entries: part.map((event) => ({
            EventBusName: this.#busName,
            Source: EVENT_SOURCE,
            DetailType: DETAIL_TYPE,
            Time: new Date(event.at),
            Resources: [event.job],
            Detail: JSON.stringify(event),
          })),
        }),
      );
      const refused = Entries.findIndex(({ ErrorCode }) => ErrorCode !== undefined);
      if (refused >= 0) return start + refused;
    }
    return events.length;
  }
}
