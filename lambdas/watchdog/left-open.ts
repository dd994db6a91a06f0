import { occurrenceId } from '../../lib/domain/contract/occurrence-key.ts';
import { refusedDelivery } from '../../lib/domain/watch/plan-delivery.ts';
import type { SweepAction } from '../../lib/domain/watch/plan-sweep.ts';
import type { OpenOccurrence } from '../../lib/domain/watch/watch-state.ts';

interface Undone {
  readonly failed: readonly SweepAction[];
  /** More than one sweep carries out. */
  readonly postponed: readonly SweepAction[];
}

/** What the next sweep must look at again: what the plan says, and what could not be done of it. */
export function leftOpen(
  planned: readonly OpenOccurrence[],
  before: readonly OpenOccurrence[],
  { failed, postponed }: Undone,
  now: number,
): readonly OpenOccurrence[] {
  return [...withRefusals(planned, before, failed, now), ...stillOwed(before, [...failed, ...postponed])];
}

/** A delivery that was refused is tried again by the next sweep. */
function withRefusals(
  planned: readonly OpenOccurrence[],
  before: readonly OpenOccurrence[],
  failed: readonly SweepAction[],
  now: number,
): readonly OpenOccurrence[] {
  const refused = new Set(
    failed.flatMap((action) =>
      action.type === 'catchUp' || action.type === 'redeliver' ? [occurrenceId(action.key)] : [],
    ),
  );
  if (refused.size === 0) return planned;
  const known = new Map(before.map((one) => [occurrenceId(one), one.deliveries]));
  return planned.map((one) => {
    const id = occurrenceId(one);
    if (one.deliveries === undefined || !refused.has(id)) return one;
    return { ...one, deliveries: refusedDelivery(known.get(id), one.deliveries, now) };
  });
}

/** Occurrences whose disposition could not be written, or not yet. */
function stillOwed(before: readonly OpenOccurrence[], actions: readonly SweepAction[]): OpenOccurrence[] {
  const owed = new Set(
    actions.flatMap((action) =>
      action.type === 'recordMissed' || action.type === 'recordSkipped' ? [occurrenceId(action.key)] : [],
    ),
  );
  return before.filter((one) => owed.has(occurrenceId(one)));
}
