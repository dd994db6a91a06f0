import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { REGION } from '../assembly/local-account.ts';
import type { Item } from '../dynamodb/expression/attribute-value.ts';

/** An item that was written: as it was, and as it is. */
export interface ItemChange {
  readonly tableName: string;
  readonly key: Item;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** A change as a function gets it from a table's stream. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: '1.1';
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Item;
    readonly NewImage?: Item;
    readonly OldImage?: Item;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: 'NEW_AND_OLD_IMAGES';
  };
}

/** Undefined for a write that changed nothing: a stream does not tell of it. */
export function streamRecord(
  { key, before, after }: ItemChange,
  { streamArn, sequence, now }: { readonly streamArn: string; readonly sequence: number; readonly now: number },
): StreamRecord | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  const SequenceNumber = String(sequence).padStart(21, '0');
  return {
    eventID: createHash('md5').update(`${streamArn} ${SequenceNumber}`).digest('hex'),
    eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: REGION,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(now / 1_000),
      Keys: key,
      ...(after === undefined ? {} : { NewImage: after }),
      ...(before === undefined ? {} : { OldImage: before }),
      SequenceNumber,
      SizeBytes: JSON.stringify([before, after]).length,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
    eventSourceARN: streamArn,
  };
}
