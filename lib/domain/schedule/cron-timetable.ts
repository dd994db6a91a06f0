import type { CronRule } from '../cron/cron-rule.ts';
import { NEVER, RuleCursor } from '../cron/rule-cursor.ts';
import type { FoldPolicy, GapPolicy } from '../job.ts';
import { MS_PER_DAY, MS_PER_MINUTE } from '../time/civil-date.ts';
import type { Zone } from '../time/zone.ts';
import type { Timetable } from './timetable.ts';

// Whether a wall time happens twice is known once the zone has been looked at for longer than any shift around it.
const NEIGHBOURHOOD_MS = 2 * MS_PER_DAY;

/**
 * A cron rule on the wall clock of a zone. Within a segment of the zone (one offset) instants and wall times are one to
 * one, so the search is for the next wall minute; what happens between two segments is decided by the policies.
 */
export class CronTimetable implements Timetable {
  readonly rule: CronRule;
  readonly zone: Zone;
  readonly gap: GapPolicy;
  readonly fold: FoldPolicy;
  readonly #cursor: RuleCursor;
  #segment = 0;

  constructor(rule: CronRule, zone: Zone, gap: GapPolicy, fold: FoldPolicy) {
    this.rule = rule;
    this.zone = zone;
    this.gap = gap;
    this.fold = fold;
    this.#cursor = new RuleCursor(rule);
  }

  next(after: number): number | undefined {
    const zone = this.zone;
    let segment = this.#segmentOf(after);
    let minute = Math.floor((after + (zone.offsets[segment] as number)) / MS_PER_MINUTE) + 1;
    if (this.fold === 'first' && segment > 0) {
      const repeatedUntil = zone.wallEnds[segment - 1] as number;
      if (minute * MS_PER_MINUTE < repeatedUntil) {
        minute = Math.ceil(repeatedUntil / MS_PER_MINUTE);
      }
    }
    let found = this.#cursor.next(minute);
    while (found !== NEVER) {
      const wall = found * MS_PER_MINUTE;
      const instant = wall - (zone.offsets[segment] as number);
      if (segment + 1 === zone.starts.length && instant + NEIGHBOURHOOD_MS >= (zone.ends[segment] as number)) {
        zone.cover(instant);
        if (zone.ends[segment] !== Number.POSITIVE_INFINITY) {
          continue;
        }
      }
      if (wall < this.#acceptedUntil(segment)) {
        this.#segment = segment;
        return instant;
      }
      segment++;
      const start = zone.wallStarts[segment] as number;
      if (start < (zone.wallEnds[segment - 1] as number)) {
        if (this.fold !== 'first') {
          found = this.#cursor.next(Math.ceil(start / MS_PER_MINUTE));
        }
      } else if (wall < start) {
        if (this.gap === 'runAfter') {
          this.#segment = segment;
          return zone.starts[segment] as number;
        }
        found = this.#cursor.next(Math.ceil(start / MS_PER_MINUTE));
      }
    }
    return undefined;
  }

  previous(before: number): number | undefined {
    const zone = this.zone;
    let segment = this.#segmentOf(before - 1);
    let minute = Math.ceil((before + (zone.offsets[segment] as number)) / MS_PER_MINUTE) - 1;
    const until = this.#acceptedUntil(segment);
    if (minute * MS_PER_MINUTE >= until) {
      minute = Math.ceil(until / MS_PER_MINUTE) - 1;
    }
    let found = this.#cursor.previous(minute);
    while (found !== NEVER) {
      const wall = found * MS_PER_MINUTE;
      const instant = wall - (zone.offsets[segment] as number);
      if (segment === 0 && instant - NEIGHBOURHOOD_MS < (zone.starts[0] as number)) {
        const known = zone.starts[0] as number;
        zone.cover(instant);
        segment = zone.segmentAt(known);
        continue;
      }
      if (wall >= this.#acceptedFrom(segment)) {
        this.#segment = segment;
        return instant;
      }
      const start = zone.wallStarts[segment] as number;
      segment--;
      const end = zone.wallEnds[segment] as number;
      if (start < end) {
        if (this.fold !== 'second') {
          found = this.#cursor.previous(Math.ceil(end / MS_PER_MINUTE) - 1);
        }
      } else if (wall >= end) {
        if (this.gap === 'runAfter') {
          return zone.ends[segment] as number;
        }
        found = this.#cursor.previous(Math.ceil(end / MS_PER_MINUTE) - 1);
      }
    }
    return undefined;
  }

  /** Wall times of the segment count from here on. */
  #acceptedFrom(segment: number): number {
    const start = this.zone.wallStarts[segment] as number;
    if (this.fold !== 'first' || segment === 0) {
      return start;
    }
    const repeatedUntil = this.zone.wallEnds[segment - 1] as number;
    return Math.max(repeatedUntil, start);
  }

  /** Wall times of the segment count up to here, exclusive. */
  #acceptedUntil(segment: number): number {
    const end = this.zone.wallEnds[segment] as number;
    if (this.fold !== 'second' || segment + 1 >= this.zone.wallStarts.length) {
      return end;
    }
    const repeatedFrom = this.zone.wallStarts[segment + 1] as number;
    return Math.min(repeatedFrom, end);
  }

  #segmentOf(instant: number): number {
    const zone = this.zone;
    const segment = this.#segment;
    if (
      zone.covers(instant) &&
      (zone.starts[segment] as number) <= instant &&
      instant < (zone.ends[segment] as number)
    ) {
      return segment;
    }
    return zone.segmentAt(instant);
  }
}
