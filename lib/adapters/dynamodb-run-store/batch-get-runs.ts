import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import type { RunRecord } from '../../domain/run/run-record.ts';
import { type Item, readRun, runItemKey } from './run-item.ts';
import type { RunTable } from './run-table.ts';
import { available } from './store-errors.ts';

const KEYS_PER_REQUEST = 100;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Reads many runs by key, strongly consistent, a hundred at a time. What the table puts off is asked for again. */
export async function batchGetRuns(
  { client, tableName }: RunTable,
  keys: readonly OccurrenceKey[],
): Promise<readonly RunRecord[]> {
  const waiting = [...new Map(keys.map((key) => [`${key.job} ${key.scheduledTime}`, runItemKey(key)])).values()];
  const runs: RunRecord[] = [];
  let pause = FIRST_PAUSE_MS;
  while (waiting.length > 0) {
    const Keys = waiting.splice(0, KEYS_PER_REQUEST);
    const request = new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await available(client.send(request));
    runs.push(...(Responses?.[tableName] ?? []).map((item: Item) => readRun(item)));
    const putOff = UnprocessedKeys?.[tableName]?.Keys ?? [];
    waiting.push(...putOff);
    if (putOff.length < Keys.length) {
      pause = FIRST_PAUSE_MS;
    } else {
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  }
  return runs;
}
