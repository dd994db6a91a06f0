import type { AlarmResource } from '../assembly/resources.ts';
import type { MetricDatum } from './embedded-metrics.ts';

const MINUTE_MS = 60_000;

type MetricId = Pick<AlarmResource, 'namespace' | 'metricName' | 'dimensions'>;

interface Series {
  /** Minute -> its values. */
  readonly minutes: Map<number, number[]>;
  keepMs: number;
}

/** The data of the metrics that alarms look at, by the minute; what is older than any alarm looks back is dropped. */
export class MetricStore {
  readonly #series = new Map<string, Series>();

  /** Keeps the data of this metric for `keepMs` from now on. */
  watch(metric: MetricId, keepMs: number): void {
    const key = keyOf(metric.namespace, metric.metricName, metric.dimensions);
    const series = this.#series.get(key) ?? { minutes: new Map<number, number[]>(), keepMs: 0 };
    series.keepMs = Math.max(series.keepMs, keepMs);
    this.#series.set(key, series);
  }

  add({ namespace, name, dimensions, value, at }: MetricDatum): void {
    const series = this.#series.get(keyOf(namespace, name, dimensions));
    if (series === undefined) return;
    const minute = Math.floor(at / MINUTE_MS);
    const values = series.minutes.get(minute);
    if (values !== undefined) values.push(value);
    else series.minutes.set(minute, [value]);
  }

  /** The statistic over [from, to), or undefined when there is no data. Both on a whole minute. */
  statistic(metric: MetricId, statistic: string, from: number, to: number): number | undefined {
    const series = this.#series.get(keyOf(metric.namespace, metric.metricName, metric.dimensions));
    const values: number[] = [];
    for (let minute = from / MINUTE_MS; minute < to / MINUTE_MS; minute++)
      values.push(...(series?.minutes.get(minute) ?? []));
    return values.length === 0 ? undefined : computeStatistic(values, statistic);
  }

  /** Drops what no alarm looks at any more. */
  prune(now: number): void {
    for (const { minutes, keepMs } of this.#series.values()) {
      const oldest = Math.floor((now - keepMs) / MINUTE_MS);
      for (const minute of minutes.keys()) {
        if (minute >= oldest) break;
        minutes.delete(minute);
      }
    }
  }
}

function keyOf(namespace: string, name: string, dimensions: { readonly [name: string]: string }): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);
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
