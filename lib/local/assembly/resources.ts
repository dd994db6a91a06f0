import type { Severity } from '../../domain/contract/severity.ts';
import type { JobDefinition } from '../../domain/job.ts';
import type { RecordPattern } from '../streams/record-pattern.ts';

export interface TableResource {
  readonly name: string;
  /** The CreateTable request. */
  readonly create: Record<string, unknown>;
  /** Attribute with the expiry in epoch seconds. */
  readonly timeToLive?: string;
}

export interface FunctionResource {
  readonly name: string;
  readonly arn: string;
  readonly handler: string;
  readonly runtime: string;
  readonly region: string;
  /** Folder of the asset. */
  readonly codePath: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly variables: { readonly [name: string]: string };
  readonly logGroupName: string;
  readonly asyncInvoke: AsyncInvokeLimits;
  /** Gets events that were given up, with the reason in attributes. */
  readonly deadLetterArn?: string;
  readonly reservedConcurrency?: number;
  /** Present when the function runs one job of its own. */
  readonly job?: JobDefinition;
  /** All jobs that the function runs, `job` included. */
  readonly jobs: readonly JobDefinition[];
}

export interface AsyncInvokeLimits {
  /** Further attempts after the first. Default 2. */
  readonly maximumRetryAttempts: number;
  /** Default 6 hours. */
  readonly maximumEventAgeMs: number;
  readonly onFailureArn?: string;
}

export interface ScheduleResource {
  readonly name: string;
  readonly group: string;
  readonly arn: string;
  readonly expression: string;
  readonly timeZone: string;
  readonly enabled: boolean;
  readonly startAt?: number;
  readonly endAt?: number;
  readonly targetArn: string;
  readonly deadLetterArn?: string;
  /** With the context attributes as they were written. */
  readonly input?: string;
  /** Removed after its last firing. */
  readonly deleteAfterCompletion: boolean;
  /** As given to CreateSchedule, which names everything as CloudFormation does. */
  readonly properties: ScheduleProperties;
}

export interface ScheduleProperties {
  readonly ScheduleExpression?: unknown;
  readonly ScheduleExpressionTimezone?: unknown;
  readonly State?: unknown;
  /** Epoch seconds (API) or ISO text (template). */
  readonly StartDate?: unknown;
  readonly EndDate?: unknown;
  readonly FlexibleTimeWindow?: { readonly Mode?: unknown; readonly MaximumWindowInMinutes?: unknown };
  readonly Target?: {
    readonly Arn?: unknown;
    readonly RoleArn?: unknown;
    readonly Input?: unknown;
    readonly DeadLetterConfig?: { readonly Arn?: unknown };
  };
  readonly ActionAfterCompletion?: unknown;
  readonly Description?: unknown;
}

export interface AlarmResource {
  readonly name: string;
  readonly description: string;
  readonly severity: Severity;
  readonly namespace: string;
  readonly metricName: string;
  readonly dimensions: { readonly [name: string]: string };
  /** `Sum`, `Average`, `Minimum`, `Maximum`, `SampleCount`, or a percentile like `p99`. */
  readonly statistic: string;
  readonly periodMs: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  readonly comparison: ComparisonOperator;
  readonly missingData: 'missing' | 'ignore' | 'breaching' | 'notBreaching';
  /** Periods are those of the calendar in this zone; otherwise the last one ends with the minute before. */
  readonly wallClock?: string;
  /** How long after its creation it is not evaluated; `isFixed`: even when there is data for all its periods. */
  readonly warmUp?: { readonly durationMs: number; readonly isFixed: boolean };
  /** ARNs of what is told of each state that the alarm goes to. */
  readonly actions: { readonly [State in AlarmState]: readonly string[] };
}

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

export type ComparisonOperator =
  | 'GreaterThanThreshold'
  | 'GreaterThanOrEqualToThreshold'
  | 'LessThanThreshold'
  | 'LessThanOrEqualToThreshold';

/** A function that gets the changes of a table. */
export interface StreamResource {
  readonly name: string;
  readonly streamArn: string;
  readonly tableName: string;
  readonly functionArn: string;
  readonly batchSize: number;
  /** How long records are gathered. */
  readonly windowMs: number;
  /** Infinity: as often as it takes. */
  readonly maximumRetryAttempts: number;
  readonly maximumRecordAgeMs: number;
  /** After an error the batch is halved. */
  readonly bisects: boolean;
  /** The function's answer names the records that it could not take. */
  readonly reportsFailures: boolean;
  /** Records that fit none of them are left out; without any, all go through. */
  readonly patterns: readonly RecordPattern[];
  readonly onFailureArn?: string;
}

/** What the local runtime has of the deployed environment. */
export interface LocalResources {
  readonly tables: readonly TableResource[];
  readonly functions: readonly FunctionResource[];
  readonly schedules: readonly ScheduleResource[];
  readonly alarms: readonly AlarmResource[];
  /** ARN -> name. */
  readonly queues: ReadonlyMap<string, string>;
  readonly topics: ReadonlyMap<string, string>;
  readonly scheduleGroups: ReadonlySet<string>;
  readonly streams: readonly StreamResource[];
  /** Names of event buses. */
  readonly buses: ReadonlySet<string>;
  /** What is declared and not run here, one sentence each. */
  readonly notes: readonly string[];
}
