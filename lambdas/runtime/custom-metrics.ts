import type { MetricValue } from '../../lib/domain/contract/metrics.ts';
import { BelfryError } from '../../lib/domain/errors.ts';
import { assertMetric, isMetricValue, type MetricUnit } from '../../lib/domain/run/custom-metric.ts';

/** What CloudWatch takes of one line. */
const MOST_METRICS_A_LINE = 100;
const MOST_VALUES_A_LINE = 100;
/** What one attempt may add: beyond that, values are left out, and the run tells how many. */
const MOST_NAMES = 1_000;
const MOST_VALUES = 10_000;

interface Added {
  readonly unit: MetricUnit;
  readonly values: number[];
}

/** The metrics that a handler adds in one attempt. Counts of one name are added up; of other units each value is kept. */
export class CustomMetrics {
  readonly #job: string;
  readonly #added = new Map<string, Added>();
  readonly #dropped = new Map<string, number>();

  constructor(job: string) {
    this.#job = job;
  }

  /** @throws BelfryError `IllegalMetric` for a name or a unit that CloudWatch would not take */
  add(name: string, value: number, unit: MetricUnit): void {
    assertMetric(this.#job, name, unit);
    const known = this.#added.get(name);
    if (known !== undefined && known.unit !== unit) throw otherUnit(this.#job, name, known.unit, unit);
    if (!isMetricValue(value) || !this.#keep(name, known, { value, unit })) {
      this.#dropped.set(name, (this.#dropped.get(name) ?? 0) + 1);
    }
  }

  /** False: there is no room left. */
  #keep(name: string, known: Added | undefined, { value, unit }: { value: number; unit: MetricUnit }): boolean {
    if (known === undefined) {
      if (this.#added.size >= MOST_NAMES) return false;
      this.#added.set(name, { unit, values: [value] });
      return true;
    }
    const total = (known.values[0] ?? 0) + value;
    if (unit === 'Count' && isMetricValue(total)) known.values[0] = total;
    else if (known.values.length < MOST_VALUES) known.values.push(value);
    else return false;
    return true;
  }

  /** How many values of which metrics are not told: not finite numbers, or beyond the limits. */
  get dropped(): ReadonlyMap<string, number> {
    return this.#dropped;
  }

  /** The metrics of each line that it takes to tell them all. */
  lines(): readonly (readonly MetricValue[])[] {
    const lines: MetricValue[][] = [];
    const rounds = Math.ceil(
      Math.max(0, ...[...this.#added.values()].map(({ values }) => values.length)) / MOST_VALUES_A_LINE,
    );
    for (let round = 0; round < rounds; round++) {
      const metrics = [...this.#added].flatMap(([name, { unit, values }]): MetricValue[] => {
        const of = values.slice(round * MOST_VALUES_A_LINE, (round + 1) * MOST_VALUES_A_LINE);
        const [value] = of;
        return value === undefined ? [] : [{ name, value: of.length === 1 ? value : of, unit, under: 'job' }];
      });
      for (let at = 0; at < metrics.length; at += MOST_METRICS_A_LINE)
        lines.push(metrics.slice(at, at + MOST_METRICS_A_LINE));
    }
    return lines;
  }
}

function otherUnit(job: string, name: string, before: string, unit: string): BelfryError {
  return new BelfryError(
    'IllegalMetric',
    `job '${job}' adds metric '${name}' with unit ${unit}, after values with unit ${before}: one name has one unit, so give one of them another name`,
  );
}
