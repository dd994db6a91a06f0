import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Trigger } from '../../domain/job.ts';
import type { RunKey, RunRecord, RunStatus, TurnRecord } from '../../domain/run/run-record.ts';
import { formatInstant } from '../../domain/time/instant.ts';

export type Item = Record<string, AttributeValue>;

const JOB_PREFIX = 'J#';
const RUN_PREFIX = 'R#';

/** The run that was asked for last: a run is written several times in a row. */
let lastKey: { readonly job: string; readonly scheduledTime: number; readonly item: Item } | undefined;

export function runItemKey({ job, scheduledTime }: RunKey): Item {
  if (lastKey?.job !== job || lastKey.scheduledTime !== scheduledTime) {
    const item = { pk: { S: `${JOB_PREFIX}${job}` }, sk: { S: `${RUN_PREFIX}${formatInstant(scheduledTime)}` } };
    lastKey = { job, scheduledTime, item };
  }
  return lastKey.item;
}

export function turnItemKey(job: string): Item {
  return { pk: { S: `${JOB_PREFIX}${job}` }, sk: { S: '$' } };
}

export function checkpointItemKey({ job, scheduledTime }: RunKey, fencingToken: number): Item {
  return { pk: { S: `${JOB_PREFIX}${job}` }, sk: { S: `C#${formatInstant(scheduledTime)}#${fencingToken}` } };
}

/** Reads a run's item. Attributes that only mean something in one status are left out in the others. */
export function readRun(item: Item): RunRecord {
  const status = (item.status?.S ?? 'running') as RunStatus;
  return {
    job: (item.pk?.S ?? '').slice(JOB_PREFIX.length),
    scheduledTime: Date.parse((item.sk?.S ?? '').slice(RUN_PREFIX.length)),
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
