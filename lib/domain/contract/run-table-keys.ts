import { formatInstant } from '../time/instant.ts';
import type { OccurrenceKey } from './occurrence-key.ts';

/** The keys of the run table's items. Records outlive releases: another spelling here no longer finds them. */

const JOB_PREFIX = 'J#';
const RUN_PREFIX = 'R#';
const CHECKPOINT_PREFIX = 'C#';
const REQUEST_PREFIX = 'asked#';

/** Names of the table's key attributes. */
export const PARTITION_KEY = 'pk';
export const SORT_KEY = 'sk';

/** Partition of a job's records. For IAM, `job` may be a pattern. */
export function jobPartition(job: string): string {
  return `${JOB_PREFIX}${job}`;
}

export function jobOfPartition(partition: string): string {
  return partition.slice(JOB_PREFIX.length);
}

export function runSortKey(scheduledTime: number): string {
  return `${RUN_PREFIX}${formatInstant(scheduledTime)}`;
}

/** The instant as it is written in a run's sort key. */
export function instantOfRun(sortKey: string): string {
  return sortKey.slice(RUN_PREFIX.length);
}

export function isRunSortKey(sortKey: string | undefined): boolean {
  return sortKey?.startsWith(RUN_PREFIX) === true;
}

/** What all sort keys of runs begin with. */
export const RUN_SORT_KEYS = RUN_PREFIX;

/** The sort keys of the runs of a job that were due from one instant to another, both inclusive. */
export function runSortKeys({ from, to }: { readonly from?: number; readonly to?: number }): {
  readonly first: string;
  readonly last: string;
} {
  // `~` comes after every character of an instant.
  return {
    first: from === undefined ? RUN_PREFIX : runSortKey(from),
    last: `${to === undefined ? RUN_PREFIX : runSortKey(to)}~`,
  };
}

/** What the sort keys of a run's checkpoints begin with. */
export function checkpointSortKeys(scheduledTime: number): string {
  return `${CHECKPOINT_PREFIX}${formatInstant(scheduledTime)}`;
}

export function checkpointSortKey(scheduledTime: number, fencingToken: number): string {
  return `${checkpointSortKeys(scheduledTime)}#${fencingToken}`;
}

/** In a job's partition: whose turn it is, the pause, the usual duration. In the watchdog's: its state. Before all others. */
export const STATE_SORT_KEY = '$';

/** All that the watchdog keeps for itself, and what people write down for it. */
export const WATCHDOG_PARTITION = 'W#watchdog';

/** From the state's key up to here lie the state and what people asked for, and nothing else. */
export const LAST_REQUEST_SORT_KEY = 'asked$';

export function requestSortKey({ job, scheduledTime }: OccurrenceKey): string {
  return `${REQUEST_PREFIX}${job}#${formatInstant(scheduledTime)}`;
}

export function readRequestSortKey(sortKey: string): OccurrenceKey {
  const [, job = '', instant = ''] = sortKey.split('#');
  return { job, scheduledTime: Date.parse(instant) };
}

/** What the sort keys of the parts of a roster begin with; without a digest, those of all rosters. */
export function rosterSortKeys(digest?: string): string {
  return digest === undefined ? 'roster#' : `roster#${digest}#`;
}

export function rosterSortKey(digest: string, part: number): string {
  return `${rosterSortKeys(digest)}${String(part).padStart(4, '0')}`;
}

export function digestOfRoster(sortKey: string): string {
  return sortKey.split('#')[1] ?? '';
}

/** What the sort keys of the parts of a watchdog's state begin with; without a write's name, those of all states. */
export function statePartSortKeys(writeId?: string): string {
  return writeId === undefined ? 'part#' : `part#${writeId}#`;
}

/** @param writeId begins with the state's version and a `#` */
export function statePartSortKey(writeId: string, part: number): string {
  return `${statePartSortKeys(writeId)}${part}`;
}

export function versionOfStatePart(sortKey: string): number {
  return Number(sortKey.split('#')[1]);
}
