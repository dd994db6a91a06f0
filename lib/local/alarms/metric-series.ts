import type { MetricDatum } from './embedded-metrics.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

interface Summary {
  count: number;
  sum: number;
  least: number;
  most: number;
}

interface Arrival {
  readonly value: number;
  readonly at: number;
  readonly visibleAt: number;
}

/**
 * The data of one metric under one set of dimensions: summed up by minute and by hour, so that a statistic over a day
 * takes a hundred steps and not a thousand.
 */
export class MetricSeries {
  readonly dimensions: MetricDatum['dimensions'];
  readonly #minutes = new Map<number, Summary>();
  readonly #hours = new Map<number, Summary>();
  /** By minute, and only where somebody asks for percentiles. */
  readonly #values = new Map<number, number[]>();
  /** Data that is under way, in the order in which it becomes visible. */
  readonly #arrivals: Arrival[] = [];
  #keepMs = 0;
  #keepsValues = false;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(dimensions: MetricDatum['dimensions']) {
    this.dimensions = dimensions;
  }

  /** Makes sure that data is kept so long, and that the statistic can be computed. */
  keepFor(keepMs: number, statistic: string): void {
    this.#keepMs = Math.max(this.#keepMs, keepMs);
    this.#keepsValues ||= isPercentile(statistic);
  }

  /** Data of the instant `at`, which nobody sees before `visibleAt`. */
  add(value: number, at: number, visibleAt: number): void {
    let index = this.#arrivals.length;
    while (index > 0 && (this.#arrivals[index - 1]?.visibleAt ?? 0) > visibleAt) index--;
    this.#arrivals.splice(index, 0, { value, at, visibleAt });
  }

  /** Takes in what has become visible by now, and drops what nobody looks at any more. */
  advance(now: number): void {
    let count = 0;
    while ((this.#arrivals[count]?.visibleAt ?? Number.POSITIVE_INFINITY) <= now) count++;
    for (const { value, at } of this.#arrivals.splice(0, count)) this.#take(value, at);
    if (count > 0) this.#drop(now - this.#keepMs);
  }

  /** Whether there is data of `from` or later, visible or under way. */
  hasDataSince(from: number): boolean {
    return this.#arrivals.length > 0 || this.#newest >= from;
  }

  /** The statistic over [from, to), or undefined when there is no data. Both on a whole minute. */
  statistic(statistic: string, from: number, to: number): number | undefined {
    if (this.#newest < from) return undefined;
    if (isPercentile(statistic)) {
      const values: number[] = [];
      for (let at = from; at < to; at += MINUTE_MS) values.push(...(this.#values.get(at / MINUTE_MS) ?? []));
      return values.length === 0 ? undefined : computeStatistic(values, statistic);
    }
    const total = emptySummary();
    const last = to / MINUTE_MS;
    for (let minute = from / MINUTE_MS; minute < last; ) {
      const isWholeHour = minute % HOUR_MINUTES === 0 && minute + HOUR_MINUTES <= last;
      const part = isWholeHour ? this.#hours.get(minute / HOUR_MINUTES) : this.#minutes.get(minute);
      if (part !== undefined) addSummary(total, part);
      minute += isWholeHour ? HOUR_MINUTES : 1;
    }
    return total.count === 0 ? undefined : statisticOf(total, statistic);
  }

  #take(value: number, at: number): void {
    const minute = Math.floor(at / MINUTE_MS);
    this.#newest = Math.max(this.#newest, minute * MINUTE_MS);
    const one: Summary = { count: 1, sum: value, least: value, most: value };
    addSummary(summaryAt(this.#minutes, minute), one);
    addSummary(summaryAt(this.#hours, Math.floor(minute / HOUR_MINUTES)), one);
    if (!this.#keepsValues) return;
    const values = this.#values.get(minute);
    if (values === undefined) this.#values.set(minute, [value]);
    else values.push(value);
  }

  #drop(before: number): void {
    const oldest = Math.floor(before / MINUTE_MS);
    for (const minute of this.#minutes.keys()) {
      if (minute >= oldest) break;
      this.#minutes.delete(minute);
      this.#values.delete(minute);
    }
    for (const hour of this.#hours.keys()) {
      if ((hour + 1) * HOUR_MINUTES >= oldest) break;
      this.#hours.delete(hour);
    }
  }
}

function emptySummary(): Summary {
  return { count: 0, sum: 0, least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY };
}

function summaryAt(summaries: Map<number, Summary>, index: number): Summary {
  const known = summaries.get(index);
  if (known !== undefined) return known;
  const created = emptySummary();
  summaries.set(index, created);
  return created;
}

function addSummary(total: Summary, { count, sum, least, most }: Summary): void {
  total.count += count;
  total.sum += sum;
  total.least = Math.min(total.least, least);
  total.most = Math.max(total.most, most);
}

function isPercentile(statistic: string): boolean {
  return /^p\d/.test(statistic);
}

function statisticOf({ count, sum, least, most }: Summary, statistic: string): number {
  switch (statistic) {
    case 'SampleCount':
      return count;
    case 'Minimum':
      return least;
    case 'Maximum':
      return most;
    case 'Average':
      return sum / count;
    default:
      return sum;
  }
}

/** A statistic of at least one value. */
export function computeStatistic(values: readonly number[], statistic: string): number {
  if (isPercentile(statistic)) {
    const sorted = [...values].sort((left, right) => left - right);
    return sorted[Math.max(0, Math.ceil((Number(statistic.slice(1)) / 100) * sorted.length) - 1)] ?? Number.NaN;
  }
  const total = emptySummary();
  for (const value of values) addSummary(total, { count: 1, sum: value, least: value, most: value });
  return statisticOf(total, statistic);
}
