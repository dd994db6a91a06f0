/** One value of one metric, under one set of dimensions. */
export interface MetricDatum {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: { readonly [name: string]: string };
  readonly value: number;
  readonly at: number;
}

interface Directive {
  readonly Namespace?: string;
  readonly Dimensions?: readonly (readonly string[])[];
  readonly Metrics?: readonly { readonly Name: string }[];
}

/**
 * Reads the metrics out of a log line in CloudWatch's embedded metric format, already parsed. Like CloudWatch, what does
 * not fit the format yields nothing.
 */
export function* readEmbeddedMetrics(line: { readonly [key: string]: unknown }): Generator<MetricDatum> {
  const metadata = line._aws as { readonly Timestamp?: unknown; readonly CloudWatchMetrics?: unknown } | undefined;
  if (typeof metadata?.Timestamp !== 'number' || !Array.isArray(metadata.CloudWatchMetrics)) return;
  for (const { Namespace, Dimensions = [[]], Metrics = [] } of metadata.CloudWatchMetrics as readonly Directive[]) {
    if (Namespace === undefined) continue;
    for (const names of Dimensions) {
      const dimensions = Object.fromEntries(names.map((name) => [name, String(line[name])]));
      for (const { Name } of Metrics) {
        const values = line[Name];
        for (const value of Array.isArray(values) ? values : [values]) {
          if (typeof value === 'number')
            yield { namespace: Namespace, name: Name, dimensions, value, at: metadata.Timestamp };
        }
      }
    }
  }
}
