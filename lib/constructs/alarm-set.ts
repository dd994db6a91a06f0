import { Alarm, type CfnAlarm, ComparisonOperator, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { alarmName } from '../domain/contract/names.ts';
import type { Severity } from '../domain/contract/severity.ts';
import { BelfryError } from '../domain/errors.ts';
import { type AlertTopics, topicsOf } from './alert-topics.ts';
import type { JobScheduler } from './job-scheduler.ts';

export interface AlarmPlan {
  /** Part of the alarm's name, unique in the environment. */
  readonly id: string;
  readonly severity: Severity;
  readonly metric: Metric;
  readonly threshold: number;
  /** Default: at or above the threshold. */
  readonly comparison?: ComparisonOperator;
  /**
   * How many of the last `periods` periods must be beyond the threshold. A log line takes up to a minute to become a metric:
   * an alarm that looks only at the newest period misses data that arrive after its end. Default 1.
   */
  readonly datapoints?: number;
  /** Default 3. */
  readonly periods?: number;
  /**
   * What a period without data means. Default: nothing is wrong, because most counts are sent only when they are not zero.
   */
  readonly missing?: TreatMissingData;
  /**
   * How long after its creation the alarm waits for its first data before missing data counts. Default: not at all.
   * An alarm for which missing data is breaching needs it: there are no data yet during the first deployment.
   */
  readonly warmUp?: Duration;
  /** Whether the alarm waits for the whole warm-up, also when data arrive. Default: it begins with its first data. */
  readonly warmsUpWholly?: boolean;
  readonly says: string;
  /** What to type when it rings. */
  readonly command: string;
}

export interface AlarmSetProps {
  /** Whose jobs the alarms are about. */
  readonly scheduler: JobScheduler;
  /**
   * Topics that the alarms are sent to. Use the watchdog's topics, so that people get everything in one place.
   *
   * @default - the topics of the scheduler's watchdog, or new ones inside this construct that the watchdog then uses
   */
  readonly topics?: AlertTopics;
  /**
   * Most alarms for the scheduler's jobs, in all sets together. Synth fails when there are more. Each alarm costs about
   * 0.10 USD a month, so this limits the bill. Where sets differ, the highest number counts.
   *
   * @default 50
   */
  readonly maxAlarms?: number;
}

const USUAL_MOST = 50;

/** The alarms of each scheduler's jobs, whichever sets they are in. */
const budgets = new WeakMap<JobScheduler, AlarmBudget>();

interface AlarmBudget {
  /** Ids of the alarms. */
  readonly made: Set<string>;
  most: number | undefined;
}

/** CloudWatch refuses longer names and descriptions in the deployment; the synth refuses them before. */
const LONGEST_NAME = 255;
const LONGEST_DESCRIPTION = 1024;

/** Alarms that are named, described and sent alike. Every description ends with the command to begin with. */
export abstract class AlarmSet extends Construct {
  readonly topics: AlertTopics;
  protected readonly scheduler: JobScheduler;
  private readonly budget: AlarmBudget;
  private readonly made: Alarm[] = [];

  constructor(scope: Construct, id: string, props: AlarmSetProps) {
    super(scope, id);
    this.scheduler = props.scheduler;
    this.topics = topicsOf(props.scheduler, this, props.topics);
    this.budget = budgets.get(props.scheduler) ?? { made: new Set(), most: undefined };
    budgets.set(props.scheduler, this.budget);
    if (props.maxAlarms !== undefined) this.budget.most = Math.max(this.budget.most ?? 0, props.maxAlarms);
  }

  get alarms(): readonly Alarm[] {
    return this.made;
  }

  protected add(plan: AlarmPlan): Alarm {
    const { environment, prefix } = this.scheduler;
    const { made, most = USUAL_MOST } = this.budget;
    if (made.has(plan.id)) {
      throw new BelfryError(
        'AlarmTwice',
        `alarm '${plan.id}' of environment '${environment}' is declared twice, and CloudWatch allows each name once: take the alarm out of one of the sets`,
      );
    }
    if (made.size >= most) {
      throw new BelfryError(
        'TooManyAlarms',
        `alarm '${plan.id}' of environment '${environment}' is number ${made.size + 1}, allowed are ${most}: set failedAlarm to false for some jobs (FailureRate covers all jobs together), or raise maxAlarms`,
      );
    }
    const name = alarmName(prefix, plan.id);
    const alarmDescription = `${plan.says}. Severity: ${plan.severity}. Runbook: ${plan.command} --environment ${environment}`;
    if (name.length > LONGEST_NAME || alarmDescription.length > LONGEST_DESCRIPTION) {
      throw new BelfryError(
        'AlarmTextTooLong',
        `alarm '${plan.id}' would have a name of ${name.length} and a description of ${alarmDescription.length} characters, allowed are ${LONGEST_NAME} and ${LONGEST_DESCRIPTION}: shorten the scheduler's prefix, or the name of its environment`,
      );
    }
    const alarm = new Alarm(this, plan.id, {
      alarmName: name,
      alarmDescription,
      metric: plan.metric,
      threshold: plan.threshold,
      comparisonOperator: plan.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: plan.periods ?? 3,
      datapointsToAlarm: plan.datapoints ?? 1,
      treatMissingData: plan.missing ?? TreatMissingData.NOT_BREACHING,
    });
    if (plan.warmUp !== undefined) {
      const resource = alarm.node.defaultChild as CfnAlarm;
      resource.warmUpConfiguration = {
        warmUpPeriodDurationInMinutes: plan.warmUp.toMinutes(),
        ...(plan.warmsUpWholly === true ? { onlyStartEvaluatingAfterWarmUpPeriodEnds: true } : {}),
      };
    }
    // No OK action: each new alarm goes from INSUFFICIENT_DATA to OK, and would say after the first deployment that all is
    // well again. The watchdog tells when a job is well again, and when it watches again.
    alarm.addAlarmAction(new SnsAction(this.topics.of(plan.severity)));
    this.made.push(alarm);
    made.add(plan.id);
    return alarm;
  }
}
