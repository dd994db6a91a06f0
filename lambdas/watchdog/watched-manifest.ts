import { createHash } from 'node:crypto';
import type { Manifest } from '../../lib/domain/job.ts';
import { parseSchedule } from '../../lib/domain/schedule/parse-schedule.ts';
import type { AwsSchedule } from '../../lib/domain/translation/aws-schedule.ts';
import { translateSchedule } from '../../lib/domain/translation/translate-schedule.ts';
import { clockChangesOf } from '../../lib/domain/watch/clock-changes.ts';
import { type WatchedJob, watchedJob } from '../../lib/domain/watch/due.ts';
import type { RosterEntry } from '../../lib/domain/watch/watch-state.ts';

/** The manifest with its schedules parsed. */
export interface WatchedManifest {
  readonly environment: string;
  readonly jobs: readonly WatchedJob[];
  /** Jobs that do not fire, and run only when people ask for it. */
  readonly disabled: readonly WatchedJob[];
  /** Differs whenever a job was added, removed or given another schedule. */
  readonly digest: string;
  /** Jobs that have no metric under their own names. */
  readonly together: ReadonlySet<string>;
  /** Name of each job's function, by job. */
  readonly functions: Readonly<Record<string, string>>;
  /** As deployed, by job. */
  readonly awsSchedules: Readonly<Record<string, readonly AwsSchedule[]>>;
  /** The scheduler's prefix. */
  readonly scheduler: string;
  /** The stacks that declare the jobs, as `cdk deploy` takes them. */
  readonly jobsStacks: string;
}

export function watchManifest(manifest: Manifest): WatchedManifest {
  const { environment, functions = {}, awsSchedules = {}, scheduler, jobsStacks } = manifest;
  const entries = manifest.jobs.map(rosterEntry);
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('base64url');
  const jobs = entries.map((entry) => watchJob(entry, awsSchedules[entry.name]));
  const disabled = (manifest.disabled ?? []).map((job) => watchJob(rosterEntry(job)));
  const together = new Set(
    [...manifest.jobs, ...(manifest.disabled ?? [])].flatMap(({ name, metrics }) =>
      metrics === 'scheduler' ? [name] : [],
    ),
  );
  return { environment, jobs, disabled, digest, together, functions, awsSchedules, scheduler, jobsStacks };
}

/** @param awsSchedules as they were deployed; without them, as they would be */
export function watchJob(entry: RosterEntry, awsSchedules?: readonly AwsSchedule[]): WatchedJob {
  const { schedule: expression, timeZone, dst } = entry;
  const schedule = parseSchedule(expression, { timeZone, dst });
  const filled = () => parseSchedule(expression, { timeZone, dst: { ...dst, gap: 'runAfter' } });
  return watchedJob(entry, schedule, clockChangesOf(schedule, awsSchedules ?? translateSchedule(schedule), filled));
}

function rosterEntry(job: RosterEntry): RosterEntry {
  const { name, schedule, timeZone, dst, startGraceMs, retry, overlap, catchUp, revision } = job;
  const { expectedDurationMs, minimumDurationMs, renamedFrom, onTimeout, pausable } = job;
  return {
    name,
    schedule,
    timeZone,
    dst,
    startGraceMs,
    retry,
    overlap,
    ...(onTimeout === undefined ? {} : { onTimeout }),
    ...(pausable === undefined ? {} : { pausable }),
    ...(catchUp === undefined ? {} : { catchUp }),
    ...(expectedDurationMs === undefined ? {} : { expectedDurationMs }),
    ...(minimumDurationMs === undefined ? {} : { minimumDurationMs }),
    ...(renamedFrom === undefined ? {} : { renamedFrom }),
    revision,
  };
}
