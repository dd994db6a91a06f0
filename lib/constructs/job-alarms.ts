import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { BelfryError } from '../domain/errors.ts';
import { AlertTopics, type Severity } from './alert-topics.ts';
import { belfryMetric, type JobMetric } from './job-metrics.ts';
import type { JobScheduler } from './job-scheduler.ts';
import type { DeclaredJob } from './job-scheduler-props.ts';

export interface JobAlarmsProps {
  /** Whose jobs the alarms are about. */
  readonly scheduler: JobScheduler;
  /**
   * Where they are sent.
   *
   * @default - new topics inside this construct, without subscriptions
   */
  readonly topics?: AlertTopics;
  /**
   * Most alarms that there may be: each is billed, about 0.10 USD a month. A job with `failedAlarm` adds one.
   *
   * @default 50
   */
  readonly maxAlarms?: number;
}

interface AlarmPlan {
  readonly id: string;
  readonly severity: Severity;
  readonly metric: Metric;
  readonly threshold: number;
  readonly comparison?: ComparisonOperator;
  readonly minutes?: number;
  readonly missing?: TreatMissingData;
  readonly says: string;
  /** What to type when it rings. */
  readonly command: string;
}

/**
 * The alarms of one environment: a fixed set for all jobs together, and one more for each job that asks for it. Every
 * description ends with the command to begin with.
 */
export class JobAlarms extends Construct {
  readonly topics: AlertTopics;
  private readonly scheduler: JobScheduler;
  private readonly maxAlarms: number;
  private alarms = 0;

  constructor(scope: Construct, id: string, props: JobAlarmsProps) {
    super(scope, id);
    this.scheduler = props.scheduler;
    this.topics = props.topics ?? new AlertTopics(this, 'Topics');
    this.maxAlarms = props.maxAlarms ?? 50;
    const { environment } = this.scheduler;

    this.add({
      id: 'WatchdogSilent',
      severity: 'page',
      metric: this.metric('WatchdogHeartbeat'),
      threshold: 1,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      // Two sweeps may fall 119 seconds apart, so one minute without any means nothing.
      minutes: 3,
      missing: TreatMissingData.BREACHING,
      says: `no sweep of the watchdog of ${environment} for three minutes: nothing is watched`,
      command: 'belfry doctor',
    });
    this.add({
      id: 'Missed',
      severity: 'warn',
      metric: this.metric('Missed'),
      threshold: 1,
      says: `an occurrence in ${environment} did not start within its startGrace`,
      command: 'belfry verify',
    });
    this.add({
      id: 'Failed',
      severity: 'ticket',
      metric: this.metric('Failed'),
      threshold: 1,
      says: `a run in ${environment} failed in its last attempt`,
      command: 'belfry jobs',
    });
    this.add({
      id: 'TimedOut',
      severity: 'ticket',
      metric: this.metric('TimedOut'),
      threshold: 1,
      says: `a run in ${environment} was still going at its timeout`,
      command: 'belfry jobs',
    });
    this.add({
      id: 'DeadLetters',
      severity: 'ticket',
      metric: this.scheduler.deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: 1,
      says: `events for jobs of ${environment} could not be delivered`,
      command: 'belfry verify',
    });
    for (const name of ['InvocationDroppedCount', 'TargetErrorCount']) {
      this.add({
        id: name === 'TargetErrorCount' ? 'TargetErrors' : 'Dropped',
        severity: 'ticket',
        metric: new Metric({
          namespace: 'AWS/Scheduler',
          metricName: name,
          dimensionsMap: { ScheduleGroup: this.scheduler.scheduleGroupName },
          statistic: 'Sum',
          period: Duration.minutes(5),
        }),
        threshold: 1,
        says: `EventBridge Scheduler could not invoke a job of ${environment} (${name})`,
        command: 'belfry doctor',
      });
    }
    this.scheduler.onJob((job) => {
      if (job.options.failedAlarm) this.addFailedAlarm(job);
    });
  }

  private addFailedAlarm(job: DeclaredJob): void {
    this.add({
      id: `Failed-${job.name}`,
      severity: 'ticket',
      metric: this.metric('Failed', job.name),
      threshold: 1,
      says: `a run of job ${job.name} in ${this.scheduler.environment} failed in its last attempt`,
      command: `belfry runs ${job.name}`,
    });
  }

  private metric(name: JobMetric | 'WatchdogHeartbeat', job?: string): Metric {
    const { environment } = this.scheduler;
    return belfryMetric(name, { environment, ...(job === undefined ? {} : { job }) }, { period: Duration.minutes(1) });
  }

  private add(plan: AlarmPlan): void {
    const { environment, functionNamePrefix } = this.scheduler;
    this.alarms += 1;
    if (this.alarms > this.maxAlarms) {
      throw new BelfryError(
        'TooManyAlarms',
        `alarm '${plan.id}' of environment '${environment}' is number ${this.alarms}, allowed are ${this.maxAlarms}: take failedAlarm from some jobs (all have one alarm together), or raise maxAlarms`,
      );
    }
    const minutes = plan.minutes ?? 1;
    const alarm = new Alarm(this, plan.id, {
      alarmName: `${functionNamePrefix}-${plan.id}`,
      alarmDescription: `${plan.says}. Severity: ${plan.severity}. Runbook: ${plan.command} --environment ${environment}`,
      metric: plan.metric,
      threshold: plan.threshold,
      comparisonOperator: plan.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: minutes,
      datapointsToAlarm: minutes,
      treatMissingData: plan.missing ?? TreatMissingData.NOT_BREACHING,
    });
    const action = new SnsAction(this.topics.of(plan.severity));
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
