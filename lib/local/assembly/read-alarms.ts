import { SEVERITIES, type Severity } from '../../domain/contract/severity.ts';
import type { TemplateValue } from '../../domain/update/stack-template.ts';
import type { Intrinsics } from './intrinsics.ts';
import type { AlarmResource, ComparisonOperator } from './resources.ts';

const OPERATORS: readonly ComparisonOperator[] = [
  'GreaterThanThreshold',
  'GreaterThanOrEqualToThreshold',
  'LessThanThreshold',
  'LessThanOrEqualToThreshold',
];

interface MetricStat {
  readonly Metric: {
    readonly Namespace?: string;
    readonly MetricName?: string;
    readonly Dimensions?: readonly Dimension[];
  };
  readonly Period: number;
  readonly Stat: string;
}

interface Dimension {
  readonly Name: string;
  readonly Value: string;
}

/** Alarms on one metric. Others (metric math, anomaly bands) are noted: they would never change their state here. */
export function readAlarms(intrinsics: Intrinsics, notes: string[]): AlarmResource[] {
  const alarms: AlarmResource[] = [];
  for (const { stack, logicalId, resource } of intrinsics.resources('AWS::CloudWatch::Alarm')) {
    const property = (name: string) => intrinsics.property(resource, name, stack);
    const name = intrinsics.reference(stack, logicalId);
    const single = singleMetric(property('Metrics'));
    const metricName = property('MetricName') ?? single?.Metric.MetricName;
    const comparison = OPERATORS.find((operator) => operator === property('ComparisonOperator'));
    const threshold = property('Threshold');
    if (metricName === undefined || comparison === undefined || threshold === undefined) {
      notes.push(`alarm ${name}: metric math and anomaly bands are not evaluated locally, it never changes its state`);
      continue;
    }
    const evaluationPeriods = Number(property('EvaluationPeriods') ?? 1);
    const dimensions = (property('Dimensions') ?? single?.Metric.Dimensions ?? []) as unknown as readonly Dimension[];
    const description = String(property('AlarmDescription') ?? '');
    alarms.push({
      name,
      description,
      severity: readSeverity(property('AlarmActions'), name, description),
      namespace: String(property('Namespace') ?? single?.Metric.Namespace),
      metricName: String(metricName),
      dimensions: Object.fromEntries(dimensions.map((dimension) => [dimension.Name, dimension.Value])),
      statistic: String(property('ExtendedStatistic') ?? property('Statistic') ?? single?.Stat ?? 'Average'),
      periodMs: Number(property('Period') ?? single?.Period ?? 300) * 1000,
      evaluationPeriods,
      datapointsToAlarm: Number(property('DatapointsToAlarm') ?? evaluationPeriods),
      threshold: Number(threshold),
      comparison,
      missingData: readMissingData(property('TreatMissingData'), property('Namespace') ?? single?.Metric.Namespace),
      ...readWindow(property('EvaluationWindow')),
      ...readWarmUp(property('WarmUpConfiguration')),
      actions: {
        ALARM: readActions(property('AlarmActions')),
        OK: readActions(property('OKActions')),
        INSUFFICIENT_DATA: readActions(property('InsufficientDataActions')),
      },
    });
  }
  return alarms;
}

/** The `Metrics` form with a single plain metric says the same as the short form. */
function singleMetric(metrics: TemplateValue | undefined): MetricStat | undefined {
  const list = (metrics ?? []) as unknown as readonly {
    readonly MetricStat?: MetricStat;
    readonly Expression?: string;
  }[];
  return list.length === 1 ? list[0]?.MetricStat : undefined;
}

function readMissingData(
  value: TemplateValue | undefined,
  namespace: TemplateValue | undefined,
): AlarmResource['missingData'] {
  if (value === 'ignore' || value === 'breaching' || value === 'notBreaching' || value === 'missing') return value;
  return namespace === 'AWS/DynamoDB' ? 'ignore' : 'missing';
}

function readWindow(value: TemplateValue | undefined): Pick<AlarmResource, 'wallClock'> {
  const window = (value as { readonly WallClockWindow?: { readonly Timezone?: string } } | undefined)?.WallClockWindow;
  if (window === undefined) return {};
  const zone = window.Timezone ?? 'UTC';
  const offset = /^(?:UTC|GMT)?([+-]\d\d:\d\d)$/.exec(zone)?.[1];
  return { wallClock: zone === 'Z' ? 'UTC' : offset === undefined ? zone : `UTC${offset}` };
}

function readWarmUp(value: TemplateValue | undefined): Pick<AlarmResource, 'warmUp'> {
  if (value === undefined) return {};
  const { WarmUpPeriodDurationInMinutes, OnlyStartEvaluatingAfterWarmUpPeriodEnds } = value as {
    readonly WarmUpPeriodDurationInMinutes?: number | string;
    readonly OnlyStartEvaluatingAfterWarmUpPeriodEnds?: boolean | string;
  };
  const durationMs = Number(WarmUpPeriodDurationInMinutes ?? 0) * 60_000;
  return { warmUp: { durationMs, isFixed: String(OnlyStartEvaluatingAfterWarmUpPeriodEnds) === 'true' } };
}

function readActions(value: TemplateValue | undefined): readonly string[] {
  return ((value ?? []) as readonly TemplateValue[]).map(String);
}

const SEVERITY = new RegExp(`\\b(${SEVERITIES.join('|')})`, 'i');

/** Severity is where the alarm is sent: the topic's name says it. An alarm that is sent nowhere may say it in its own name. */
function readSeverity(actions: TemplateValue | undefined, name: string, description: string): Severity {
  const said = [...((actions ?? []) as readonly TemplateValue[]).map(String), name, description];
  for (const text of said) {
    const severity = SEVERITY.exec(text.replace(/([a-z])([A-Z])/g, '$1-$2'))?.[1]?.toLowerCase();
    if (severity !== undefined) return severity as Severity;
  }
  return 'warn';
}
