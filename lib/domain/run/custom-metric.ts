import { JOB_DIMENSION, JOB_METRICS, SCHEDULER_DIMENSION, WATCHDOG_METRICS } from '../contract/metrics.ts';
import { BelfryError } from '../errors.ts';

/** The units that CloudWatch knows. */
export const METRIC_UNITS = [
  'None',
  'Count',
  'Percent',
  'Seconds',
  'Milliseconds',
  'Microseconds',
  'Bytes',
  'Kilobytes',
  'Megabytes',
  'Gigabytes',
  'Terabytes',
  'Bits',
  'Kilobits',
  'Megabits',
  'Gigabits',
  'Terabits',
  'Count/Second',
  'Bytes/Second',
  'Kilobytes/Second',
  'Megabytes/Second',
  'Gigabytes/Second',
  'Terabytes/Second',
  'Bits/Second',
  'Kilobits/Second',
  'Megabits/Second',
  'Gigabits/Second',
  'Terabits/Second',
] as const;
export type MetricUnit = (typeof METRIC_UNITS)[number];

/** CloudWatch refuses names that are longer, and values that are larger. */
const LONGEST_NAME = 255;
const LARGEST_VALUE = 2 ** 360;
const PRINTABLE = /^[ -~]*[!-~][ -~]*$/;
const RESERVED: ReadonlySet<string> = new Set([
  ...['_aws', SCHEDULER_DIMENSION, JOB_DIMENSION],
  ...JOB_METRICS,
  ...WATCHDOG_METRICS,
]);

/**
 * A name or a unit that CloudWatch would not take is a mistake in the handler's text, which every run would repeat.
 * @throws BelfryError `IllegalMetric`
 */
export function assertMetric(job: string, name: unknown, unit: unknown): asserts unit is MetricUnit {
  const adds = `job '${job}' adds metric ${JSON.stringify(name)}`;
  if (typeof name !== 'string' || name.length > LONGEST_NAME || !PRINTABLE.test(name)) {
    throw new BelfryError(
      'IllegalMetric',
      `${adds}: a name has 1 to ${LONGEST_NAME} printable ASCII characters, e.g. 'InvoicesSent'`,
    );
  }
  if (RESERVED.has(name)) {
    throw new BelfryError(
      'IllegalMetric',
      `${adds}, which is the name of a metric or a dimension of Belfry: choose another, e.g. 'My${name}'`,
    );
  }
  if (!(METRIC_UNITS as readonly unknown[]).includes(unit)) {
    throw new BelfryError(
      'IllegalMetric',
      `${adds} with unit ${JSON.stringify(unit)}: CloudWatch knows ${METRIC_UNITS.join(', ')}`,
    );
  }
}

/** CloudWatch takes finite numbers of a certain size. Another value depends on the run's data: it is left out, not an error. */
export function isMetricValue(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= LARGEST_VALUE;
}
