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

/** The metrics of a job count once for its environment and once for the job. */
export function emfLine({ at, environment, job, metrics }: EmfReport): string {
  const names = Object.entries(metrics);
  return JSON.stringify({
    _aws: {
      Timestamp: at,
      CloudWatchMetrics: [
        {
          Namespace: NAMESPACE,
          Dimensions: job === undefined ? OF_ENVIRONMENT : OF_JOB,
          Metrics: names.map(([Name, { unit }]) => ({ Name, Unit: unit })),
        },
      ],
    },
    Environment: environment,
    ...(job === undefined ? {} : { Job: job }),
    ...Object.fromEntries(names.map(([name, { value }]) => [name, value])),
  });
}
