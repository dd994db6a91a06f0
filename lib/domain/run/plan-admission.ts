import type { JobDefinition } from '../job.ts';
import type { OccurrenceEvent } from '../occurrence-event.ts';
import { isMeant } from '../translation/aws-schedule.ts';

/** Beyond this age a record may have been deleted, and its fencing token with it. */
export const HORIZON_MS = 31 * 86_400_000;
/** How late an event of another revision still counts as fired while that revision was in force. */
const REVISION_OVERLAP_MS = 3_600_000;

export type AdmissionPlan = 'admit' | 'notDue' | 'tooOld' | 'superseded';

/**
 * Whether an event is taken up at all. What a person asked for is never refused. `notDue`: its schedule fires more often
 * than the job is due. That is told by the event and not by the job's definition: a job may have other schedules, and a
 * retry of a run whose interval has changed since is no firing.
 */
export function planAdmission(
  event: OccurrenceEvent,
  job: Pick<JobDefinition, 'revision'>,
  now: number,
  isDue?: (scheduledTime: number) => boolean,
): AdmissionPlan {
  if (event.trigger === 'manual' || event.trigger === 'backfill') return 'admit';
  if (!isMeant(event.scheduledTime, event.everyMs)) return 'notDue';
  if (event.scheduledTime < now - HORIZON_MS) return 'tooOld';
  if (event.revision === undefined || event.revision === job.revision) return 'admit';
  const due = isDue?.(event.scheduledTime) ?? now - event.scheduledTime <= REVISION_OVERLAP_MS;
  return due ? 'admit' : 'superseded';
}
