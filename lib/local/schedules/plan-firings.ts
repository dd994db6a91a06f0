import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { ScheduleResource } from '../assembly/resources.ts';

/**
 * When the schedule fires next after `after` (exclusive): never while disabled, not before its start or after its end.
 * A one-time schedule whose time is past fires at once, as a late one does on AWS; `isNew` says it has not fired yet.
 */
export function nextFiring(
  resource: ScheduleResource,
  rule: Schedule,
  after: number,
  isNew = false,
): number | undefined {
  if (!resource.enabled) return undefined;
  if (isOneTime(resource)) {
    const at = rule.next(-1);
    return at === undefined || (at <= after && !isNew) ? undefined : at;
  }
  // Start and end are inclusive.
  const next = rule.next(Math.max(after, (resource.startAt ?? Number.NEGATIVE_INFINITY) - 1));
  return next === undefined || next > (resource.endAt ?? Number.POSITIVE_INFINITY) ? undefined : next;
}

/** `at()`, which ignores start and end. */
export function isOneTime(resource: ScheduleResource): boolean {
  return resource.expression.startsWith('at(');
}

export interface PlannedFirings<Entry> {
  /** The earliest instant at which something fires. */
  readonly at: number;
  /** All that fires then. */
  readonly due: readonly Entry[];
}

/** What fires next, of entries that know their own next instant. */
export function planFirings<Entry extends { readonly next?: number | undefined }>(
  entries: Iterable<Entry>,
): PlannedFirings<Entry> | undefined {
  let at = Number.POSITIVE_INFINITY;
  let due: Entry[] = [];
  for (const entry of entries) {
    if (entry.next === undefined || entry.next > at) continue;
    if (entry.next < at) due = [];
    at = entry.next;
    due.push(entry);
  }
  return due.length === 0 ? undefined : { at, due };
}
