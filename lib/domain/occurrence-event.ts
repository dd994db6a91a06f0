import { BelfryError } from './errors.ts';
import type { Trigger } from './job.ts';

/**
 * What a job's function is invoked with. Unknown keys are ignored: emulators and senders add their own.
 * EventBridge Scheduler sends `{ job, scheduledTime: "<aws.scheduler.scheduled-time>", revision }`, and `everyMs` where its
 * schedule has one.
 */
export interface OccurrenceEvent {
  readonly job: string;
  /** Epoch milliseconds, on a whole second. With the job's name it identifies the run. */
  readonly scheduledTime: number;
  readonly trigger: Trigger;
  readonly revision?: string;
  /** What fired fires more often than the job is due: the event counts at whole multiples of this since the epoch. */
  readonly everyMs?: number;
}

const TRIGGERS: readonly Trigger[] = ['schedule', 'catchUp', 'manual', 'backfill'];
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.0{1,3})?Z$/;

/**
 * Reads an invocation event.
 * @throws BelfryError `MalformedEvent`, `UnsubstitutedScheduledTime`, `MalformedScheduledTime`, `UnknownJob`.
 */
export function parseOccurrenceEvent(event: unknown, jobName: string): OccurrenceEvent {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    throw new BelfryError(
      'MalformedEvent',
      `job '${jobName}' was invoked with ${describe(event)}: the event must be an object like {"job":"${jobName}","scheduledTime":"2026-01-01T08:00:00Z"}`,
    );
  }
  const { job, scheduledTime, trigger = 'schedule', revision, everyMs } = event as Record<string, unknown>;
  if (job !== jobName) {
    throw new BelfryError(
      'UnknownJob',
      `the event names job ${describe(job)}, but this function runs '${jobName}': point the schedule's target at the right function, or correct "job"`,
    );
  }
  if (typeof scheduledTime === 'string' && scheduledTime.includes('<aws.scheduler.')) {
    throw new BelfryError(
      'UnsubstitutedScheduledTime',
      `job '${jobName}' got the literal text ${describe(scheduledTime)} as its scheduledTime: whatever fired the schedule does not substitute context attributes, so all occurrences would share one run record; fire it with 'belfry drive', or send an ISO instant`,
    );
  }
  const instant =
    typeof scheduledTime === 'string' && INSTANT.test(scheduledTime) ? Date.parse(scheduledTime) : Number.NaN;
  if (Number.isNaN(instant)) {
    throw new BelfryError(
      'MalformedScheduledTime',
      `job '${jobName}' got scheduledTime ${describe(scheduledTime)}: it must be a UTC instant in whole seconds like "2026-01-01T08:00:00Z"`,
    );
  }
  if (!TRIGGERS.includes(trigger as Trigger)) {
    throw new BelfryError(
      'MalformedEvent',
      `job '${jobName}' got trigger ${describe(trigger)}: allowed are ${TRIGGERS.join(', ')}`,
    );
  }
  if (everyMs !== undefined && !(Number.isSafeInteger(everyMs) && (everyMs as number) > 0)) {
    throw new BelfryError(
      'MalformedEvent',
      `job '${jobName}' got everyMs ${describe(everyMs)}: it must be a whole number of milliseconds above 0, or left out`,
    );
  }
  return {
    job: jobName,
    scheduledTime: instant,
    trigger: trigger as Trigger,
    ...(typeof revision === 'string' ? { revision } : {}),
    ...(everyMs === undefined ? {} : { everyMs: everyMs as number }),
  };
}

function describe(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}… (${text.length} characters)` : text;
}
