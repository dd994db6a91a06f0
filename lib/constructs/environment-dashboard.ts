import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IWidget,
  MathExpression,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { JOB_DIMENSION, type JobMetric, METRIC_NAMESPACE, SCHEDULER_DIMENSION } from '../domain/contract/metrics.ts';
import { dashboardName } from '../domain/contract/names.ts';
import { monthlyCosts, usageMetrics } from './dashboard-costs.ts';
import { belfryMetric } from './job-metrics.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { regionOf, substituted } from './short-arn.ts';

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

/** Five questions about an environment, from top to bottom: what ran, what is late, what failed, how long, what does it cost. */
export class EnvironmentDashboard extends Construct {
  readonly dashboard: Dashboard;
  private readonly scheduler: JobScheduler;

  constructor(scope: Construct, id: string, { scheduler, alarms }: EnvironmentDashboardProps) {
    super(scope, id);
    this.scheduler = scheduler;
    this.dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: substituted(dashboardName(scheduler.prefix, regionOf(this))),
      defaultInterval: DAY,
    });
    this.add(new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: WIDTH, height: 3 }));
    this.ask('What ran', [
      this.counts(['Succeeded', 'Failed', 'TimedOut', 'Missed'], 'Outcomes by the hour'),
      this.byJob('Missed', 'Sum', 'Misses by job'),
    ]);
    this.ask('What is late', [
      this.counts(['Late', 'Missed', 'Overdue'], 'Late, overdue, missed'),
      this.spread('Lateness', 'Start after the scheduled time, all jobs (ms)'),
    ]);
    this.ask('What failed', [
      this.counts(['Failed', 'TimedOut', 'Retried', 'Fenced'], 'Failures, retries and fenced writes'),
      this.byJob('Failed', 'Sum', 'Final failures by job'),
    ]);
    this.ask('How long', [
      this.spread('Duration', 'Duration, all jobs (ms)'),
      this.byJob('Duration', 'Average', "Duration by job, average (ms): jobs with metrics: 'detailed'"),
    ]);
    this.ask('What does it cost', [monthlyCosts(scheduler, alarms.length)]);
    this.add(this.consumption());
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

  /** Of all jobs together. */
  private spread(name: JobMetric, title: string): GraphWidget {
    const { prefix } = this.scheduler;
    const left = (['Average', 'p95', 'Maximum'] as const).map((statistic) =>
      belfryMetric(name, { scheduler: prefix }, { period: HOUR, statistic, label: statistic }),
    );
    return new GraphWidget({ title, left, width: HALF, height: 6 });
  }

  private consumption(): GraphWidget {
    const { firings, writes, reads } = usageMetrics(this.scheduler, HOUR);
    return new GraphWidget({
      title: 'What is used: firings, write units, read units',
      left: [firings, writes, reads],
      width: WIDTH,
      height: 6,
    });
  }
}
