import { isReadable, type RecordPattern } from '../streams/record-pattern.ts';
import type { Intrinsics } from './intrinsics.ts';
import type { StreamResource } from './resources.ts';

interface Filters {
  readonly Filters?: readonly { readonly Pattern?: string }[];
}

/** Which functions the changes of a table go to. Other event sources are noted: nothing reads them here. */
export function readStreams(intrinsics: Intrinsics, notes: string[]): StreamResource[] {
  const streams: StreamResource[] = [];
  for (const { stack, logicalId, resource } of intrinsics.resources('AWS::Lambda::EventSourceMapping')) {
    const property = (name: string) => intrinsics.property(resource, name, stack);
    const name = intrinsics.reference(stack, logicalId);
    const streamArn = String(property('EventSourceArn'));
    const [, tableName] = /:table\/([^/]+)\/stream\//.exec(streamArn) ?? [];
    if (tableName === undefined) {
      notes.push(
        `event source ${name}: only the streams of tables are read locally, its function gets nothing from it`,
      );
      continue;
    }
    if (property('Enabled') === false) continue;
    const patterns = ((property('FilterCriteria') as Filters | undefined)?.Filters ?? []).map(
      ({ Pattern = '{}' }) => JSON.parse(Pattern) as RecordPattern,
    );
    const unread = patterns.find((pattern) => !isReadable(pattern));
    if (unread !== undefined) {
      notes.push(
        `event source ${name}: its filter ${JSON.stringify(unread)} is not evaluated locally, all changes go through`,
      );
    }
    const destination = property('DestinationConfig') as { OnFailure?: { Destination?: string } } | undefined;
    const onFailureArn = destination?.OnFailure?.Destination;
    const limit = (key: string) => {
      const value = Number(property(key) ?? -1);
      return value < 0 ? Number.POSITIVE_INFINITY : value;
    };
    streams.push({
      name,
      streamArn,
      tableName,
      functionArn: String(property('FunctionName')),
      batchSize: Number(property('BatchSize') ?? 100),
      windowMs: Number(property('MaximumBatchingWindowInSeconds') ?? 0) * 1_000,
      maximumRetryAttempts: limit('MaximumRetryAttempts'),
      maximumRecordAgeMs: limit('MaximumRecordAgeInSeconds') * 1_000,
      bisects: property('BisectBatchOnFunctionError') === true,
      reportsFailures: ((property('FunctionResponseTypes') ?? []) as readonly string[]).includes(
        'ReportBatchItemFailures',
      ),
      patterns: unread === undefined ? patterns : [],
      ...(onFailureArn === undefined ? {} : { onFailureArn }),
    });
  }
  return streams;
}
