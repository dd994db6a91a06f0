import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import {
  checkpointSortKey,
  instantOfRun,
  jobOfPartition,
  jobPartition,
  runSortKey,
  STATE_SORT_KEY,
} from '../../domain/contract/run-table-keys.ts';
import type { Trigger } from '../../domain/job.ts';
import type { RunRecord, RunStatus, TurnRecord } from '../../domain/run/run-record.ts';

export type Item = Record<string, AttributeValue>;

/** The run that was asked for last: a run is written several times in a row. */
let lastKey: { readonly job: string; readonly scheduledTime: number; readonly item: Item } | undefined;

export function runItemKey({ job, scheduledTime }: OccurrenceKey): Item {
  if (lastKey?.job !== job || lastKey.scheduledTime !== scheduledTime) {
    const item = { pk: { S: jobPartition(job) }, sk: { S: runSortKey(scheduledTime) } };
    lastKey = { job, scheduledTime, item };
  }
  return lastKey.item;
}

export function turnItemKey(job: string): Item {
  return { pk: { S: jobPartition(job) }, sk: { S: STATE_SORT_KEY } };
}

export function checkpointItemKey({ job, scheduledTime }: OccurrenceKey, fencingToken: number): Item {
  return { pk: { S: jobPartition(job) }, sk: { S: checkpointSortKey(scheduledTime, fencingToken) } };
}

/** Reads a run's item. Attributes that only mean something in one status are left out in the others. */
export function readRun(item: Item): RunRecord {
  const status = (item.status?.S ?? 'running') as RunStatus;
  return {
    job: jobOfPartition(item.pk?.S ?? ''),
    scheduledTime: Date.parse(instantOfRun(item.sk?.S ?? '')),
    status,
    fencingToken: Number(item.fencingToken?.N ?? 0),
    attempts: Number(item.attempts?.N ?? 0),
    trigger: (item.trigger?.S ?? 'schedule') as Trigger,
    ...text(item, 'claimToken'),
    ...(status === 'running' ? number(item, 'leaseExpiresAt') : {}),
    ...(status === 'pending' ? number(item, 'nextAttemptAt') : {}),
    ...number(item, 'claimedAt'),
    ...number(item, 'updatedAt'),
    ...text(item, 'revision'),
    ...text(item, 'result'),
    ...text(item, 'error'),
    ...text(item, 'cause'),
    ...text(item, 'checkpoint'),
    ...number(item, 'saves'),
    ...number(item, 'segments'),
    ...text(item, 'progress'),
    ...number(item, 'cancelRequestedAt'),
    ...text(item, 'requestedBy'),
    ...text(item, 'requestNote'),
    ...number(item, 'requestedAt'),
  };
}

export function readTurn(job: string, item: Item | undefined): TurnRecord {
  if (item === undefined) return { job, version: 0 };
  return {
    job,
    version: Number(item.version?.N ?? 0),
    ...number(item, 'holder'),
    ...number(item, 'buffered'),
    ...number(item, 'windowFrom'),
    ...(item.paused?.BOOL === true ? { paused: true } : {}),
    ...text(item, 'pausedBy'),
    ...text(item, 'pauseNote'),
    ...number(item, 'pausedAt'),
    ...number(item, 'pausedUntil'),
  };
}

function text<Name extends string>(item: Item, name: Name): { [K in Name]?: string } {
  const value = item[name]?.S;
  return (value === undefined ? {} : { [name]: value }) as { [K in Name]?: string };
}

function number<Name extends string>(item: Item, name: Name): { [K in Name]?: number } {
  const value = item[name]?.N;
  return (value === undefined ? {} : { [name]: Number(value) }) as { [K in Name]?: number };
}
