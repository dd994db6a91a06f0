/** CloudWatch's embedded metric format: a log line from which CloudWatch takes metrics. */
export interface EmfReport {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly environment: string;
  /** Left out, the metrics count for the environment alone. */
  readonly job?: string;
  readonly metrics: Readonly<Record<string, { readonly value: number; readonly unit: string }>>;
}

const NAMESPACE = 'Belfry';
const OF_ENVIRONMENT = [['Environment']];
const OF_JOB = [['Environment'], ['Environment', 'Job']];

/** The definitions of the metrics, by their names and units: always the same few, and most of the line. */
const definitions = new Map<string, string>();
const MOST_DEFINITIONS = 100;

/** The metrics of a job count once for its environment and once for the job. */
export function emfLine({ at, environment, job, metrics }: EmfReport): string {
  const values: Record<string, string | number> = { Environment: environment };
  if (job !== undefined) values.Job = job;
  for (const name in metrics) values[name] = metrics[name]?.value ?? 0;
  const definition = definitionOf(metrics, job === undefined ? OF_ENVIRONMENT : OF_JOB);
  return `{"_aws":{"Timestamp":${at},"CloudWatchMetrics":${definition}},${JSON.stringify(values).slice(1)}`;
}

function definitionOf(metrics: EmfReport['metrics'], Dimensions: readonly (readonly string[])[]): string {
  let key = Dimensions === OF_JOB ? 'job' : 'environment';
  for (const name in metrics) key += ` ${name} ${metrics[name]?.unit}`;
  let definition = definitions.get(key);
  if (definition === undefined) {
    const Metrics = Object.entries(metrics).map(([Name, { unit }]) => ({ Name, Unit: unit }));
    definition = JSON.stringify([{ Namespace: NAMESPACE, Dimensions, Metrics }]);
    if (definitions.size < MOST_DEFINITIONS) definitions.set(key, definition);
  }
  return definition;
}
