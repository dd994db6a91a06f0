import type { FoldPolicy, GapPolicy } from '../job.ts';
import { MS_PER_DAY } from './civil-date.ts';
import type { Zone } from './zone.ts';

/** The instants at which a zone's clock shows a wall time, under the policies for gaps and folds; ascending. */
export function instantsOfWall(zone: Zone, wallMs: number, gap: GapPolicy, fold: FoldPolicy): number[] {
  const shown: number[] = [];
  // The earlier one first: looking back may move the numbers of the segments, looking ahead does not.
  const from = zone.segmentAt(wallMs - 2 * MS_PER_DAY);
  const last = zone.segmentAt(wallMs + 2 * MS_PER_DAY);
  for (let segment = from; segment <= last; segment++) {
    const start = zone.wallStarts[segment] as number;
    const end = zone.wallEnds[segment] as number;
    if (start <= wallMs && wallMs < end) {
      shown.push(wallMs - (zone.offsets[segment] as number));
    } else if (
      gap === 'runAfter' &&
      end <= wallMs &&
      segment < last &&
      wallMs < (zone.wallStarts[segment + 1] as number)
    ) {
      shown.push(zone.ends[segment] as number);
    }
  }
  if (shown.length < 2 || fold === 'both') {
    return shown;
  }
  return fold === 'first' ? shown.slice(0, 1) : shown.slice(-1);
}
