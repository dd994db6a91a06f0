import { JOB_DIMENSION, METRIC_NAMESPACE, SCHEDULER_DIMENSION } from '../../domain/contract/metrics.ts';

/** CloudWatch's embedded metric format: a log line from which CloudWatch takes metrics. */
export interface EmfReport {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly environment: string;
  /** Left out, the metrics count for the environment alone. */
  readonly job?: string;
  readonly metrics: Readonly<Record<string, { readonly value: number; readonly unit: string }>>;
}

const OF_SCHEDULER = [[SCHEDULER_DIMENSION]];
const OF_JOB = [[SCHEDULER_DIMENSION], [SCHEDULER_DIMENSION, JOB_DIMENSION]];

/** The metrics of a job count once for its environment and once for the job. */
export function emfLine({ at, environment, job, metrics }: EmfReport): string {
  const values: Record<string, string | number> = { [SCHEDULER_DIMENSION]: environment };
  if (job !== undefined) values[JOB_DIMENSION] = job;
  const units: Record<string, string> = {};
  for (const [name, { value, unit }] of Object.entries(metrics)) {
    values[name] = value;
    units[name] = unit;
  }
  return line(at, definitionOf(units, job === undefined ? OF_SCHEDULER : OF_JOB), values);
}

/** Lines that always have the same metrics of a job: their definition, most of the line, is written once. */
export function jobEmfForm<Name extends string>(units: Readonly<Record<Name, string>>) {
  const definition = definitionOf(units, OF_JOB);
  return (at: number, values: Readonly<Record<'Environment' | 'Job', string> & Record<Name, number>>) =>
    line(at, definition, values);
}

function line(at: number, definition: string, values: object): string {
  return `{"_aws":{"Timestamp":${at},"CloudWatchMetrics":${definition}},${JSON.stringify(values).slice(1)}`;
}

function definitionOf(units: Readonly<Record<string, string>>, Dimensions: readonly (readonly string[])[]): string {
  const Metrics = Object.entries(units).map(([Name, Unit]) => ({ Name, Unit }));
  return JSON.stringify([{ Namespace: METRIC_NAMESPACE, Dimensions, Metrics }]);
}
