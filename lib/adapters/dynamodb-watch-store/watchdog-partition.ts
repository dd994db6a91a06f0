import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { formatInstant } from '../../domain/time/instant.ts';
import type { OccurrenceKey } from '../../domain/watch/occurrence-key.ts';

export type Item = Record<string, AttributeValue>;

/** All that the watchdog keeps for itself, and what people write down for it. */
export const WATCHDOG_PARTITION: AttributeValue = { S: 'W#watchdog' };

/** Before all others. */
export const STATE_SORT_KEY = '$';
const REQUEST_PREFIX = 'asked#';
/** From the state's key up to here lie the state and what people asked for, and nothing else. */
export const LAST_REQUEST_SORT_KEY = 'asked$';

export function requestSortKey({ job, scheduledTime }: OccurrenceKey): string {
  return `${REQUEST_PREFIX}${job}#${formatInstant(scheduledTime)}`;
}

export function readRequestSortKey(sortKey: string): OccurrenceKey {
  const [, job = '', instant = ''] = sortKey.split('#');
  return { job, scheduledTime: Date.parse(instant) };
}
