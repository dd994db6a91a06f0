import type { AlarmResource } from '../assembly/resources.ts';
import type { MetricDatum } from './embedded-metrics.ts';
import { MetricSeries } from './metric-series.ts';

type Dimensions = MetricDatum['dimensions'];

/** The data of the metrics that alarms look at: most data is of metrics that no alarm looks at. */
export class MetricStore {
  /** Namespace and name -> one for each set of dimensions. */
  readonly #series = new Map<string, MetricSeries[]>();

  /** The series of the alarm's metric, whose data is kept for `keepMs` from now on. */
  watch({ namespace, metricName, dimensions, statistic }: AlarmResource, keepMs: number): MetricSeries {
    let series = this.find(namespace, metricName, dimensions);
    if (series === undefined) {
      series = new MetricSeries(dimensions);
      const key = keyOf(namespace, metricName);
      this.#series.set(key, [...(this.#series.get(key) ?? []), series]);
    }
    series.keepFor(keepMs, statistic);
    return series;
  }

  /** Undefined where no alarm looks at it. */
  find(namespace: string, name: string, dimensions: Dimensions): MetricSeries | undefined {
    return this.#series.get(keyOf(namespace, name))?.find((one) => areSame(one.dimensions, dimensions));
  }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}\n${name}`;
}

function areSame(left: Dimensions, right: Dimensions): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}
