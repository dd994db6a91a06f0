import { isMetricValue, METRIC_UNITS } from '../../domain/run/custom-metric.ts';

/** One value of one metric, under one set of dimensions. */
export interface MetricDatum {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: { readonly [name: string]: string };
  readonly value: number;
  readonly at: number;
}

interface Directive {
  readonly Namespace?: unknown;
  readonly Dimensions?: readonly (readonly string[])[];
  readonly Metrics?: readonly { readonly Name?: unknown; readonly Unit?: unknown }[];
}

const MOST_METRICS = 100;
const MOST_VALUES = 100;
const MOST_DIMENSIONS = 30;
const LONGEST_DIMENSION = 1_024;

/**
 * Reads the metrics out of a log line in CloudWatch's embedded metric format, already parsed. Of a line that breaks one of
 * the format's rules nothing is read: CloudWatch does not promise which of its metrics it would keep.
 */
export function readEmbeddedMetrics(line: { readonly [key: string]: unknown }): readonly MetricDatum[] {
  const metadata = line._aws as { readonly Timestamp?: unknown; readonly CloudWatchMetrics?: unknown } | undefined;
  if (typeof metadata?.Timestamp !== 'number' || !Array.isArray(metadata.CloudWatchMetrics)) return [];
  const data: MetricDatum[] = [];
  for (const directive of metadata.CloudWatchMetrics as readonly Directive[]) {
    const ofDirective = readDirective(directive, line, metadata.Timestamp);
    if (ofDirective === undefined) return [];
    data.push(...ofDirective);
  }
  return data;
}

function readDirective(
  { Namespace: namespace, Dimensions = [[]], Metrics = [] }: Directive,
  line: { readonly [key: string]: unknown },
  at: number,
): MetricDatum[] | undefined {
  if (typeof namespace !== 'string' || Metrics.length > MOST_METRICS) return undefined;
  const data: MetricDatum[] = [];
  for (const names of Dimensions) {
    const dimensions = readDimensions(names, line);
    if (dimensions === undefined) return undefined;
    for (const { Name: name, Unit: unit = 'None' } of Metrics) {
      const values = typeof name === 'string' && name.length > 0 ? readValues(line[name]) : undefined;
      if (values === undefined || !(METRIC_UNITS as readonly unknown[]).includes(unit)) return undefined;
      for (const value of values) data.push({ namespace, name: String(name), dimensions, value, at });
    }
  }
  return data;
}

function readDimensions(names: readonly string[], line: { readonly [key: string]: unknown }) {
  if (names.length > MOST_DIMENSIONS) return undefined;
  const entries = names.map((name) => [name, line[name]] as const);
  const areTexts = entries.every(
    (entry): entry is readonly [string, string] =>
      typeof entry[1] === 'string' && entry[1].length > 0 && entry[1].length <= LONGEST_DIMENSION,
  );
  return areTexts ? (Object.fromEntries(entries) as MetricDatum['dimensions']) : undefined;
}

/** A metric whose value is not there has no data; a value that is no number breaks the rules. */
function readValues(given: unknown): readonly number[] | undefined {
  if (given === undefined) return [];
  const values: readonly unknown[] = Array.isArray(given) ? given : [given];
  return values.length <= MOST_VALUES && values.every(isMetricValue) ? values : undefined;
}
