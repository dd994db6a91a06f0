import type { AlarmResource } from '../assembly/resources.ts';
import type { MetricDatum } from './embedded-metrics.ts';

const MINUTE_MS = 60_000;

type MetricId = Pick<AlarmResource, 'namespace' | 'metricName' | 'dimensions'>;
type Dimensions = MetricDatum['dimensions'];

/** The data of one metric under one set of dimensions, by the minute. */
export class MetricSeries {
  readonly dimensions: Dimensions;
  readonly #minutes = new Map<number, number[]>();
  #keepMs = 0;
  #changedFrom = Number.POSITIVE_INFINITY;

  constructor(dimensions: Dimensions) {
    this.dimensions = dimensions;
  }

  /** The earliest minute that data has come for since all was seen, epoch milliseconds; infinite without any. */
  get changedFrom(): number {
    return this.#changedFrom;
  }

  keepFor(keepMs: number): void {
    this.#keepMs = Math.max(this.#keepMs, keepMs);
  }

  add(value: number, at: number): void {
    const minute = Math.floor(at / MINUTE_MS);
    const values = this.#minutes.get(minute);
    if (values !== undefined) values.push(value);
    else this.#minutes.set(minute, [value]);
    this.#changedFrom = Math.min(this.#changedFrom, minute * MINUTE_MS);
  }

  /** The statistic over [from, to), or undefined when there is no data. Both on a whole minute. */
  statistic(statistic: string, from: number, to: number): number | undefined {
    const values: number[] = [];
    for (let minute = from / MINUTE_MS; minute < to / MINUTE_MS; minute++) {
      const ofMinute = this.#minutes.get(minute);
      if (ofMinute !== undefined) values.push(...ofMinute);
    }
    return values.length === 0 ? undefined : computeStatistic(values, statistic);
  }

  /** All data has been seen; what no alarm looks at any more is dropped. */
  seen(now: number): void {
    this.#changedFrom = Number.POSITIVE_INFINITY;
    const oldest = Math.floor((now - this.#keepMs) / MINUTE_MS);
    for (const minute of this.#minutes.keys()) {
      if (minute >= oldest) break;
      this.#minutes.delete(minute);
    }
  }
}

/** The data of the metrics that alarms look at; what is older than any alarm looks back is dropped. */
export class MetricStore {
  /** Namespace and name -> one for each set of dimensions: most data is of metrics that no alarm looks at. */
  readonly #series = new Map<string, MetricSeries[]>();

  /** The series of this metric, whose data is kept for `keepMs` from now on. */
  watch({ namespace, metricName, dimensions }: MetricId, keepMs: number): MetricSeries {
    const key = keyOf(namespace, metricName);
    const ofName = this.#series.get(key) ?? [];
    let series = ofName.find((one) => areSame(one.dimensions, dimensions));
    if (series === undefined) {
      series = new MetricSeries(dimensions);
      this.#series.set(key, [...ofName, series]);
    }
    series.keepFor(keepMs);
    return series;
  }

  add({ namespace, name, dimensions, value, at }: MetricDatum): void {
    this.#series
      .get(keyOf(namespace, name))
      ?.find((one) => areSame(one.dimensions, dimensions))
      ?.add(value, at);
  }

  /** All data has been seen. */
  seen(now: number): void {
    for (const ofName of this.#series.values()) for (const series of ofName) series.seen(now);
  }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}\n${name}`;
}

function areSame(left: Dimensions, right: Dimensions): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}

export function computeStatistic(values: readonly number[], statistic: string): number {
  const sum = () => values.reduce((total, value) => total + value, 0);
  switch (statistic) {
    case 'SampleCount':
      return values.length;
    case 'Sum':
      return sum();
    case 'Minimum':
      return values.reduce((least, value) => Math.min(least, value));
    case 'Maximum':
      return values.reduce((most, value) => Math.max(most, value));
    case 'Average':
      return sum() / values.length;
    default: {
      const percentile = Number(/^p(\d+(?:\.\d+)?)$/.exec(statistic)?.[1] ?? 100);
      const sorted = [...values].sort((left, right) => left - right);
      return sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length) - 1)] ?? Number.NaN;
    }
  }
}
