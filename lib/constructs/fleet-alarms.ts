import { ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { JobMetric, WatchdogMetric } from '../domain/contract/metrics.ts';
import { AlarmSet, type AlarmSetProps } from './alarm-set.ts';
import { jobAlarmPlan } from './job-alarms.ts';
import { belfryMetric } from './job-metrics.ts';
import type { JobScheduler } from './job-scheduler.ts';

export interface FleetAlarmsProps extends AlarmSetProps {}

const MINUTE = Duration.minutes(1);

/**
 * The alarms of one environment: a fixed set for all jobs together, and the further ones that jobs ask for with
 * `failedAlarm`.
 */
export class FleetAlarms extends AlarmSet {
  constructor(scope: Construct, id: string, props: FleetAlarmsProps) {
    super(scope, id, props);
    this.watchTheWatchdog();
    this.watchStarts();
    this.watchOutcomes();
    this.watchTiming();
    this.watchDelivery();
    this.scheduler.onJob((job) => {
      if (job.options.failedAlarm) this.add(jobAlarmPlan(this.scheduler.environment, job.name, 'failed'));
    });
  }

  private watchTheWatchdog(): void {
    const { environment } = this.scheduler;
    this.add({
      id: 'WatchdogSilent',
      severity: 'page',
      metric: this.metric('WatchdogHeartbeat'),
      threshold: 1,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      // Two sweeps may fall 119 seconds apart, so one minute without any means nothing.
      periods: 3,
      missing: TreatMissingData.BREACHING,
      says: `no sweep of the watchdog of ${environment} for three minutes: nothing is watched`,
      command: 'belfry doctor',
    });
    this.add({
      id: 'WatchdogFailing',
      severity: 'ticket',
      metric: this.metric('SweepFailures'),
      threshold: 1,
      periods: 3,
      says: `the watchdog of ${environment} cannot do what it should, three minutes on end`,
      command: 'belfry doctor',
    });
  }

  private watchStarts(): void {
    const { environment } = this.scheduler;
    this.add({
      id: 'Overdue',
      severity: 'page',
      metric: this.metric('Overdue'),
      threshold: 1,
      says: `an occurrence in ${environment} has no success by its time, expectedDuration and five minutes`,
      command: 'belfry jobs',
    });
    this.add({
      id: 'Missed',
      severity: 'warn',
      metric: this.metric('Missed'),
      threshold: 1,
      says: `an occurrence in ${environment} did not start within its startGrace`,
      command: 'belfry verify',
    });
  }

  private watchOutcomes(): void {
    const { environment } = this.scheduler;
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
      id: 'FailureRate',
      severity: 'ticket',
      // Each attempt tells 1 for a final failure and 0 otherwise, so the average is the rate: one metric, no mathematics.
      metric: this.metric('Failed', { period: Duration.days(1), statistic: 'Average' }),
      threshold: 0.1,
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      says: `more than a tenth of what was tried in ${environment} in 24 hours failed for good`,
      command: 'belfry jobs',
    });
  }

  private watchTiming(): void {
    const { environment } = this.scheduler;
    const timing: readonly (readonly [JobMetric, string])[] = [
      ['LateStart', 'began after its startGrace'],
      ['Slow', 'takes more than twice its usual time'],
      ['Stuck', 'has said the same of its progress for five minutes'],
      ['TooFast', 'succeeded in less than its minimumDuration, so it may have done nothing'],
      ['TooOften', 'took place when its job was not due'],
    ];
    for (const [name, says] of timing) {
      this.add({
        id: name,
        severity: 'warn',
        metric: this.metric(name),
        threshold: 1,
        says: `a run in ${environment} ${says}`,
        command: name === 'TooOften' ? 'belfry verify' : 'belfry jobs',
      });
    }
  }

  private watchDelivery(): void {
    const { environment } = this.scheduler;
    this.add({
      id: 'DeadLetters',
      severity: 'ticket',
      metric: this.scheduler.deadLetters.metricApproximateNumberOfMessagesVisible({
        period: MINUTE,
        statistic: 'Maximum',
      }),
      threshold: 1,
      says: `events for jobs of ${environment} could not be delivered`,
      command: 'belfry verify',
    });
    const dropped: readonly (readonly [string, string])[] = [
      ['Dropped', 'InvocationDroppedCount'],
      ['TargetErrors', 'TargetErrorCount'],
    ];
    for (const [id, metricName] of dropped) {
      this.add({
        id,
        severity: 'ticket',
        metric: new Metric({
          namespace: 'AWS/Scheduler',
          metricName,
          dimensionsMap: { ScheduleGroup: this.scheduler.scheduleGroupName },
          statistic: 'Sum',
          period: Duration.minutes(5),
        }),
        threshold: 1,
        says: `EventBridge Scheduler could not invoke a job of ${environment} (${metricName})`,
        command: 'belfry doctor',
      });
    }
  }

  private metric(name: JobMetric | WatchdogMetric, options: Parameters<JobScheduler['metric']>[1] = {}): Metric {
    return belfryMetric(name, { environment: this.scheduler.environment }, { period: MINUTE, ...options });
  }
}
