import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { readRun } from '../../lib/adapters/dynamodb-run-store/run-item.ts';
import { isRunSortKey } from '../../lib/domain/contract/run-table-keys.ts';
import { type LifecycleEvent, lifecycleEvent } from '../../lib/domain/run/lifecycle-event.ts';

/** A change of an item, as a table's stream tells it. */
export interface StreamRecord {
  readonly dynamodb?: {
    readonly SequenceNumber?: string;
    readonly NewImage?: Record<string, AttributeValue>;
    readonly OldImage?: Record<string, AttributeValue>;
  };
}

/** What Lambda is told: everything from the first failure on comes again. */
export interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** Puts the changes of state among the records on the bus, in order. `put` returns how many it took. */
export async function tellChanges(
  environment: string,
  records: readonly StreamRecord[],
  put: (events: readonly LifecycleEvent[]) => Promise<number>,
): Promise<BatchAnswer> {
  const changes = records.flatMap((record) => {
    const event = changeOf(environment, record);
    return event === undefined ? [] : [{ event, sequence: record.dynamodb?.SequenceNumber ?? '' }];
  });
  if (changes.length === 0) return { batchItemFailures: [] };
  const taken = await put(changes.map(({ event }) => event));
  const first = changes[taken];
  return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first.sequence }] };
}

function changeOf(environment: string, { dynamodb }: StreamRecord): LifecycleEvent | undefined {
  const { NewImage: after, OldImage: before } = dynamodb ?? {};
  // A record that expired is no change of a run's; nor is anything but a run.
  if (after === undefined || !isRunSortKey(after.sk?.S)) return undefined;
  return lifecycleEvent(environment, before === undefined ? undefined : readRun(before), readRun(after));
}
