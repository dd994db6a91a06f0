import { randomUUID } from 'node:crypto';
import { AwsError, sendJson } from './aws-error.ts';
import type { EndpointRoute } from './endpoint-server.ts';

export interface BusEvent {
  readonly bus: string;
  readonly source: string;
  readonly detailType: string;
  /** JSON. */
  readonly detail: string;
}

interface Entry {
  readonly EventBusName?: string;
  readonly Source?: string;
  readonly DetailType?: string;
  readonly Detail?: string;
}

const MOST_ENTRIES = 10;

/** EventBridge's PutEvents. No rule is evaluated here: what is put on a bus is shown. */
export function eventsRoute(isBus: (name: string) => boolean, onEvent: (event: BusEvent) => void): EndpointRoute {
  return async ({ headers, body }, response) => {
    if (headers['x-amz-target'] !== 'AWSEvents.PutEvents') return undefined;
    const { Entries = [] } = JSON.parse(body) as { readonly Entries?: readonly Entry[] };
    if (Entries.length === 0 || Entries.length > MOST_ENTRIES) {
      throw new AwsError(
        400,
        'ValidationException',
        `PutEvents takes 1 to ${MOST_ENTRIES} entries, not ${Entries.length}`,
      );
    }
    const answers = Entries.map(({ EventBusName = 'default', Source = '', DetailType = '', Detail = '' }) => {
      const bus = EventBusName.split('/').at(-1) ?? EventBusName;
      if (Source === '' || DetailType === '' || !isJsonObject(Detail)) {
        return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Source, DetailType or Detail is not as it must be.' };
      }
      // An event for a bus that does not exist is accepted and nobody gets it: PutEvents does not say.
      if (isBus(bus)) onEvent({ bus, source: Source, detailType: DetailType, detail: Detail });
      return { EventId: randomUUID() };
    });
    const FailedEntryCount = answers.filter((answer) => 'ErrorCode' in answer).length;
    sendJson(response, 200, { FailedEntryCount, Entries: answers });
    return true;
  };
}

function isJsonObject(text: string): boolean {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
