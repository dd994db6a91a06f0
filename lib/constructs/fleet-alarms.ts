import { ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { JobMetric, WatchdogMetric } from '../domain/contract/metrics.ts';
import { AlarmSet, type AlarmSetProps } from './alarm-set.ts';
import { jobAlarmPlan } from './job-alarms.ts';
import { belfryMetric } from './job-metrics.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { watchdogScheduleBeside } from './watchdog.ts';

export interface FleetAlarmsProps extends AlarmSetProps {}

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);

/**
 * Seven alarms for one environment, and one more for each job with `failedAlarm`. The watchdog itself sends messages about
 * jobs. These alarms ring if the watchdog is silent, fails or cannot send a message, if events cannot be delivered, and if
 * many attempts fail.
 */
export class FleetAlarms extends AlarmSet {
  constructor(scope: Construct, id: string, props: FleetAlarmsProps) {
    super(scope, id, props);
    this.watchTheWatchdog();
    this.watchOutcomes();
    this.watchDelivery();
    this.scheduler.onJob((job) => {
      if (!job.options.failedAlarm) return;
      const plan = jobAlarmPlan(this.scheduler, job.name, 'failed');
      this.add({ ...plan, id: `${plan.id}-${job.name}` });
    });
  }

  private watchTheWatchdog(): void {
    const { environment } = this.scheduler;
    const silent = this.add({
      id: 'WatchdogSilent',
      severity: 'page',
      metric: this.metric('WatchdogHeartbeat'),
      threshold: 1,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      // CloudWatch takes missing data for breaching only when the periods it looks at are all without data, and it looks at
      // two more than it is asked to: with one period it is three minutes, with three it would be five.
      periods: 1,
      missing: TreatMissingData.BREACHING,
      // The warm-up ends with the first heartbeat. If the watchdog never begins, the alarm rings after this time.
      warmUp: Duration.minutes(15),
      says: `no sweep of the watchdog of ${environment} in three whole minutes: nothing is watched, and nobody is told of jobs`,
      command: 'belfry doctor',
    });
    // Created after the watchdog begins and deleted before it ends, so that neither is taken for silence.
    silent.node.addDependency(watchdogScheduleBeside(silent, this.scheduler));
    this.add({
      id: 'Untold',
      severity: 'page',
      metric: this.metric('Untold'),
      threshold: 1,
      datapoints: 2,
      periods: 5,
      says: `the watchdog of ${environment} found something and could not send it to its topics, twice in five minutes; its log says what ("event":"untold")`,
      command: 'belfry jobs',
    });
    this.add({
      id: 'WatchdogFailing',
      severity: 'ticket',
      metric: this.metric('SweepFailures'),
      threshold: 1,
      datapoints: 3,
      periods: 5,
      says: `the watchdog of ${environment} could not do what it should, in three of five minutes`,
      command: 'belfry doctor',
    });
  }

  private watchOutcomes(): void {
    const { environment } = this.scheduler;
    this.add({
      id: 'FailureRate',
      severity: 'ticket',
      // Each attempt sends 1 for a final failure and 0 otherwise, so the average of this metric is the rate.
      metric: this.metric('Failed', { period: Duration.days(1), statistic: 'Average' }),
      threshold: 0.1,
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      // One period is the whole day. With more than a day to look at, CloudWatch does not evaluate an alarm every minute.
      periods: 1,
      says: `more than a tenth of what was tried in ${environment} in 24 hours failed for good`,
      command: 'belfry jobs',
    });
  }

  private watchDelivery(): void {
    const { environment } = this.scheduler;
    this.add({
      id: 'DeadLetters',
      severity: 'ticket',
      // What comes in, not what lies there: an event that nobody has taken out for days must not hide the next one.
      metric: this.scheduler.deadLetters.metricNumberOfMessagesSent({ period: FIVE_MINUTES, statistic: 'Sum' }),
      threshold: 1,
      // A queue that was idle for hours tells CloudWatch up to fifteen minutes late.
      periods: 4,
      says: `events for jobs of ${environment} could not be delivered and lie in the dead-letter queue`,
      command: 'belfry dead-letters',
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
          period: FIVE_MINUTES,
        }),
        threshold: 1,
        // A role that is a minute old may still be refused. The alarm looks at three periods and up to two more, so that
        // refusals of the first deployment are out of its sight afterwards.
        warmUp: Duration.minutes(30),
        warmsUpWholly: true,
        says: `EventBridge Scheduler could not invoke a job of ${environment} (${metricName})`,
        command: 'belfry doctor',
      });
    }
  }

  private metric(name: JobMetric | WatchdogMetric, options: Parameters<JobScheduler['metric']>[1] = {}): Metric {
    return belfryMetric(name, { scheduler: this.scheduler.prefix }, { period: MINUTE, ...options });
  }
}
