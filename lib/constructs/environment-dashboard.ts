import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IWidget,
  MathExpression,
  Metric,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration, Fn } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { JOB_DIMENSION, type JobMetric, METRIC_NAMESPACE, SCHEDULER_DIMENSION } from '../domain/contract/metrics.ts';
import { dashboardName } from '../domain/contract/names.ts';
import { belfryMetric } from './job-metrics.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { regionOf } from './short-arn.ts';

export interface EnvironmentDashboardProps {
  /** Whose jobs are shown. */
  readonly scheduler: JobScheduler;
  /** Shown with their states. */
  readonly alarms: readonly Alarm[];
}

const WIDTH = 24;
const HALF = WIDTH / 2;
const HOUR = Duration.hours(1);
const DAY = Duration.days(1);
/** US dollars for a million, us-east-1, 2026: what the estimate is made of. Plain decimals, which metric math can read. */
const PRICE = { firing: '1.2', write: '0.625', read: '0.125', millisecondOf256MiB: '0.00333335' };

/** Five questions about an environment, from top to bottom: what ran, what is late, what failed, how long, what does it cost. */
export class EnvironmentDashboard extends Construct {
  readonly dashboard: Dashboard;
  private readonly scheduler: JobScheduler;

  constructor(scope: Construct, id: string, { scheduler, alarms }: EnvironmentDashboardProps) {
    super(scope, id);
    this.scheduler = scheduler;
    this.dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: Fn.sub(dashboardName(scheduler.prefix, regionOf(this))),
      defaultInterval: DAY,
    });
    this.add(new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: WIDTH, height: 3 }));
    this.ask('What ran', [
      this.counts(['Succeeded', 'Failed', 'TimedOut', 'Missed'], 'Outcomes by the hour'),
      this.byJob('Succeeded', 'Sum', 'Successes by job'),
    ]);
    this.ask('What is late', [
      this.counts(['Late', 'Missed', 'Overdue'], 'Late, overdue, missed'),
      this.byJob('Lateness', 'p95', 'Start after the scheduled time, 95th percentile (ms)'),
    ]);
    this.ask('What failed', [
      this.counts(['Failed', 'TimedOut', 'Retried', 'Fenced'], 'Failures, retries and fenced writes'),
      this.byJob('Failed', 'Sum', 'Final failures by job'),
    ]);
    this.ask('How long', [
      this.byJob('Duration', 'Average', 'Duration by job, average (ms)'),
      this.byJob('Duration', 'Maximum', 'Duration by job, longest (ms)'),
    ]);
    this.ask('What does it cost', [this.cost(), this.consumption()]);
  }

  private ask(question: string, answers: readonly IWidget[]): void {
    this.add(new TextWidget({ markdown: `## ${question}`, width: WIDTH, height: 1 }));
    this.add(...answers);
  }

  private add(...widgets: IWidget[]): void {
    this.dashboard.addWidgets(...widgets);
  }

  private counts(names: readonly JobMetric[], title: string): GraphWidget {
    const { prefix } = this.scheduler;
    const left = names.map((name) => belfryMetric(name, { scheduler: prefix }, { period: HOUR, label: name }));
    return new GraphWidget({ title, left, width: HALF, height: 6 });
  }

  /** One line for each job, found when the dashboard is looked at: jobs come and go without it. */
  private byJob(name: JobMetric, statistic: string, title: string): GraphWidget {
    const { prefix } = this.scheduler;
    const search = `SEARCH('{${METRIC_NAMESPACE},${SCHEDULER_DIMENSION},${JOB_DIMENSION}} MetricName="${name}" ${SCHEDULER_DIMENSION}="${prefix}"', '${statistic}', 3600)`;
    const left = [new MathExpression({ expression: search, usingMetrics: {}, label: '', period: HOUR })];
    return new GraphWidget({ title, left, width: HALF, height: 6 });
  }

  /** From what was used in a day, at list prices, free tiers left aside. */
  private cost(): SingleValueWidget {
    const usingMetrics = this.usage(DAY);
    const parts = [
      `FILL(firings,0)*${PRICE.firing}`,
      `FILL(durations,0)*${PRICE.millisecondOf256MiB}`,
      `FILL(writes,0)*${PRICE.write}`,
      `FILL(reads,0)*${PRICE.read}`,
    ];
    const expression = `(${parts.join('+')})/1000000`;
    return new SingleValueWidget({
      title: 'Estimate for a day (USD, list prices, 256 MiB each; alarms and logs come on top)',
      metrics: [new MathExpression({ expression, usingMetrics, label: 'USD a day', period: DAY })],
      width: HALF,
      height: 6,
    });
  }

  private consumption(): GraphWidget {
    const { firings, writes, reads } = this.usage(HOUR);
    return new GraphWidget({
      title: 'What is used: firings, write units, read units',
      left: [firings, writes, reads],
      width: HALF,
      height: 6,
    });
  }

  private usage(period: Duration) {
    const { prefix, scheduleGroupName, table } = this.scheduler;
    const ofTable = (metricName: string, label: string) =>
      new Metric({
        namespace: 'AWS/DynamoDB',
        metricName,
        dimensionsMap: { TableName: table.tableName },
        statistic: 'Sum',
        period,
        label,
      });
    return {
      firings: new Metric({
        namespace: 'AWS/Scheduler',
        metricName: 'InvocationAttemptCount',
        dimensionsMap: { ScheduleGroup: scheduleGroupName },
        statistic: 'Sum',
        period,
        label: 'firings',
      }),
      durations: belfryMetric('Duration', { scheduler: prefix }, { period, statistic: 'Sum', label: 'milliseconds' }),
      writes: ofTable('ConsumedWriteCapacityUnits', 'write units'),
      reads: ofTable('ConsumedReadCapacityUnits', 'read units'),
    };
  }
}
