import { IANAZone } from 'luxon';
import { dayOf, FIRST_YEAR, LAST_YEAR, MS_PER_DAY, MS_PER_MINUTE } from './civil-date.ts';
import { canonicalZoneName } from './zone-name.ts';

/** A change of a zone's offset. */
export interface Transition {
  /** The first instant under the new offset. */
  readonly at: number;
  readonly offsetBefore: number;
  readonly offsetAfter: number;
}

// The shortest time that any zone has kept an offset since 1970 is 6.9 days (Gaza, Ramadan; Recife, 2000).
const PROBE_MS = 4 * MS_PER_DAY;
const BLOCK_MS = 120 * MS_PER_DAY;
const MARGIN_MS = 40 * MS_PER_DAY;
const KEEPS_ITS_OFFSET = /^(?:UTC$|Etc\/)/;
const EARLIEST = dayOf(FIRST_YEAR, 1, 1) * MS_PER_DAY - 2 * MS_PER_DAY;
const LATEST = dayOf(LAST_YEAR + 1, 1, 1) * MS_PER_DAY + 2 * MS_PER_DAY;

/**
 * A time zone as a row of segments, each with one offset from UTC. Offsets come from the runtime's tz database by way of
 * luxon; they are asked for once, block by block as far as somebody has looked, and then answered from arrays.
 * All times are milliseconds; "wall" is the zone's clock read as if it were UTC (instant + offset).
 */
export class Zone {
  readonly name: string;
  /** First instant of each segment; the first segment starts where the zone has been looked at so far. */
  readonly starts: number[] = [];
  /** First instant after each segment. */
  readonly ends: number[] = [];
  readonly offsets: number[] = [];
  /** Wall clock at the segment's first instant, and the one its end would show. */
  readonly wallStarts: number[] = [];
  readonly wallEnds: number[] = [];
  readonly #source: IANAZone;
  #coveredFrom = 0;
  #coveredTo = 0;

  constructor(name: string) {
    this.name = name;
    this.#source = IANAZone.create(name);
  }

  /** Makes sure that the segments around `instant` are known, with their neighbours. */
  cover(instant: number): void {
    const wanted = instant < EARLIEST ? EARLIEST : Math.min(instant, LATEST);
    if (this.starts.length === 0) {
      if (KEEPS_ITS_OFFSET.test(this.name)) {
        this.#coveredFrom = EARLIEST;
        this.#coveredTo = LATEST;
        this.#append(EARLIEST, Number.POSITIVE_INFINITY, this.#offsetAt(0));
        this.#widenEdges();
        return;
      }
      this.#coveredFrom = Math.max(EARLIEST, wanted - MARGIN_MS);
      this.#coveredTo = this.#coveredFrom;
      this.#append(this.#coveredFrom, Number.POSITIVE_INFINITY, this.#offsetAt(this.#coveredFrom));
    }
    if (wanted - MARGIN_MS < this.#coveredFrom && this.#coveredFrom > EARLIEST) {
      this.#extendBackTo(Math.max(EARLIEST, Math.min(wanted - MARGIN_MS, this.#coveredFrom - BLOCK_MS)));
    }
    while (wanted + MARGIN_MS > this.#coveredTo && this.#coveredTo < LATEST) {
      this.#extendTo(Math.min(LATEST, this.#coveredTo + BLOCK_MS));
    }
    this.#widenEdges();
  }

  /** Whether `cover(instant)` has nothing to do. */
  covers(instant: number): boolean {
    return (
      (instant - MARGIN_MS >= this.#coveredFrom || this.#coveredFrom === EARLIEST) &&
      (instant + MARGIN_MS <= this.#coveredTo || this.#coveredTo === LATEST) &&
      this.starts.length > 0
    );
  }

  /** Index of the segment that holds the instant. */
  segmentAt(instant: number): number {
    if (!this.covers(instant)) {
      this.cover(instant);
    }
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] as number) <= instant) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Offset from UTC in milliseconds, east positive. */
  offsetAt(instant: number): number {
    return this.offsets[this.segmentAt(instant)] as number;
  }

  /** The changes of offset after `from` (exclusive) up to `to` (inclusive), in order. */
  *transitionsBetween(from: number, to: number): Generator<Transition> {
    // Positions are looked up anew at every step, since they move when somebody looks back in between.
    for (let at = from; ; ) {
      const index = this.segmentAt(at) + 1;
      if (index === this.starts.length) {
        const end = this.ends[index - 1] as number;
        if (end > to) {
          return;
        }
        at = end;
        continue;
      }
      at = this.starts[index] as number;
      if (at > to) {
        return;
      }
      yield { at, offsetBefore: this.offsets[index - 1] as number, offsetAfter: this.offsets[index] as number };
    }
  }

  #offsetAt(instant: number): number {
    return Math.round(this.#source.offset(instant) * MS_PER_MINUTE);
  }

  #extendTo(to: number): void {
    let offset = this.offsets[this.offsets.length - 1] as number;
    for (let at = this.#coveredTo; at < to; ) {
      const probe = Math.min(at + PROBE_MS, to);
      const probed = this.#offsetAt(probe);
      if (probed !== offset) {
        this.#append(this.#changeBetween(at, probe, offset), Number.POSITIVE_INFINITY, probed);
        offset = probed;
      }
      at = probe;
    }
    this.#coveredTo = to;
  }

  #extendBackTo(from: number): void {
    const known = { starts: [...this.starts], offsets: [...this.offsets] };
    const until = this.#coveredFrom;
    const covered = this.#coveredTo;
    // Emptied, not replaced: somebody may hold them while asking.
    for (const row of [this.starts, this.ends, this.offsets, this.wallStarts, this.wallEnds]) {
      row.length = 0;
    }
    this.#coveredFrom = from;
    this.#coveredTo = from;
    this.#append(from, Number.POSITIVE_INFINITY, this.#offsetAt(from));
    this.#extendTo(until);
    for (let index = 1; index < known.starts.length; index++) {
      this.#append(known.starts[index] as number, Number.POSITIVE_INFINITY, known.offsets[index] as number);
    }
    this.#coveredTo = covered;
  }

  #append(start: number, end: number, offset: number): void {
    const last = this.starts.length - 1;
    if (last >= 0) {
      this.ends[last] = start;
      this.wallEnds[last] = start + (this.offsets[last] as number);
    }
    this.starts.push(start);
    this.ends.push(end);
    this.offsets.push(offset);
    this.wallStarts.push(start + offset);
    this.wallEnds.push(end);
  }

  /** The outer segments reach to where the zone has been looked at, and to infinity once all of it has been. */
  #widenEdges(): void {
    const last = this.starts.length - 1;
    const end = this.#coveredTo >= LATEST ? Number.POSITIVE_INFINITY : this.#coveredTo;
    this.ends[last] = end;
    this.wallEnds[last] = end + (this.offsets[last] as number);
    const start = this.#coveredFrom <= EARLIEST ? Number.NEGATIVE_INFINITY : this.#coveredFrom;
    this.starts[0] = start;
    this.wallStarts[0] = start + (this.offsets[0] as number);
  }

  /** The first instant that no longer has `offset`: between `from`, which has it, and `to`, which has not. */
  #changeBetween(from: number, to: number, offset: number): number {
    let before = Math.floor(from / 1000);
    let after = Math.ceil(to / 1000);
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.#offsetAt(middle * 1000) === offset) {
        before = middle;
      } else {
        after = middle;
      }
    }
    return after * 1000;
  }
}

const ZONES = new Map<string, Zone>();

/**
 * The zone of that name; one object per zone, so that what has been found out about it is kept.
 * @throws BelfryError `UnknownTimeZone`.
 */
export function zoneNamed(name: string): Zone {
  const known = ZONES.get(name);
  if (known !== undefined) {
    return known;
  }
  const canonical = canonicalZoneName(name);
  const zone = ZONES.get(canonical) ?? new Zone(canonical);
  ZONES.set(canonical, zone);
  ZONES.set(name, zone);
  return zone;
}
