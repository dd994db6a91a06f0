/** One occurrence in a lane: a run, or one to come (`due`). */
export interface LaneOccurrence {
  readonly scheduledTime: number;
  readonly status: string;
}

/** Neighbours of one status that are too close to be told apart at this zoom, as one. */
export interface LaneMark {
  readonly from: number;
  /** Scheduled time of the last one. */
  readonly to: number;
  readonly status: string;
  readonly count: number;
}

/**
 * What a lane shows. Occurrences closer than `closestMs` run into one mark, but never with those of another status: one
 * failure among a thousand successes stays a mark of its own.
 */
export function planLane(occurrences: readonly LaneOccurrence[], closestMs: number): LaneMark[] {
  const marks: { from: number; to: number; status: string; count: number }[] = [];
  for (const { scheduledTime, status } of occurrences.toSorted((a, b) => a.scheduledTime - b.scheduledTime)) {
    const last = marks.at(-1);
    if (last !== undefined && last.status === status && scheduledTime - last.to < closestMs) {
      last.to = scheduledTime;
      last.count++;
    } else {
      marks.push({ from: scheduledTime, to: scheduledTime, status, count: 1 });
    }
  }
  return marks;
}
