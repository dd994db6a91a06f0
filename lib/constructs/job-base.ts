import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';

import { isToldByJob, type JobMetric } from '../domain/contract/metrics.ts';
import { functionName } from '../domain/contract/names.ts';
import { BelfryError } from '../domain/errors.ts';
import type { MetricsByJob } from '../domain/job.ts';
import { belfryMetric } from './job-metrics.ts';

/** A job, declared here or known by its name. */
export interface IScheduledJob extends IConstruct {
  readonly name: string;
  readonly functionName: string;
  /** Lets somebody invoke the job, as `belfry trigger` does. */
  grantTrigger(grantee: IGrantable): Grant;
  /**
   * Any of the job's metrics; see the methods named after them. Failures and misses are told when they happen: an alarm
   * treats missing data as not breaching. The others need `metrics: 'detailed'`.
   * @throws BelfryError `MetricNotTold`
   */
  metric(name: JobMetric, options?: MetricOptions): Metric;
  metricSucceeded(options?: MetricOptions): Metric;
  /** Runs that failed in their last attempt. */
  metricFailed(options?: MetricOptions): Metric;
  /** Attempts that failed with another one to follow. */
  metricRetried(options?: MetricOptions): Metric;
  metricTimedOut(options?: MetricOptions): Metric;
  /** Occurrences that did not start in time. */
  metricMissed(options?: MetricOptions): Metric;
  /** Late writes of an attempt that had lost its run. */
  metricFenced(options?: MetricOptions): Metric;
  /** Milliseconds that attempts took, on average. */
  metricDuration(options?: MetricOptions): Metric;
  /** Milliseconds from the scheduled time to the start, on average. */
  metricLateness(options?: MetricOptions): Metric;
}

/** What can be done with a job as soon as its name is known. */
export abstract class JobBase extends Construct implements IScheduledJob {
  abstract readonly name: string;
  abstract readonly functionName: string;
  /** What the names of its scheduler begin with. */
  protected abstract readonly prefix: string;
  protected abstract readonly metrics: MetricsByJob;

  grantTrigger(grantee: IGrantable): Grant {
    const functionArn = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: this.functionName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    return Grant.addToPrincipal({ grantee, actions: ['lambda:InvokeFunction'], resourceArns: [functionArn] });
  }

  metric(name: JobMetric, options?: MetricOptions): Metric {
    if (!isToldByJob(name, this.metrics)) throw notTold(this.name, name, this.metrics);
    return belfryMetric(name, { scheduler: this.prefix, job: this.name }, options);
  }

  metricSucceeded(options?: MetricOptions): Metric {
    return this.metric('Succeeded', options);
  }

  metricFailed(options?: MetricOptions): Metric {
    return this.metric('Failed', options);
  }

  metricRetried(options?: MetricOptions): Metric {
    return this.metric('Retried', options);
  }

  metricTimedOut(options?: MetricOptions): Metric {
    return this.metric('TimedOut', options);
  }

  metricMissed(options?: MetricOptions): Metric {
    return this.metric('Missed', options);
  }

  metricFenced(options?: MetricOptions): Metric {
    return this.metric('Fenced', options);
  }

  metricDuration(options?: MetricOptions): Metric {
    return this.metric('Duration', options);
  }

  metricLateness(options?: MetricOptions): Metric {
    return this.metric('Lateness', options);
  }
}

export interface ScheduledJobAttributes {
  /** What the names of its scheduler begin with: by default the name of the scheduler's stack. */
  readonly prefix: string;
  readonly jobName: string;
  /**
   * What the job's function is called, where it is not made from an `entry`: that of a fleet, of an image, or one that
   * existed already.
   *
   * @default - the function that a ScheduledJob makes
   */
  readonly functionName?: string;
  /**
   * Which of its metrics the job has by its own name, as its declaration says. Said wrongly, alarms on what the job does not
   * tell stay quiet.
   *
   * @default 'failures'
   */
  readonly metrics?: MetricsByJob;
}

/** A job that another app, or another stack, declares. */
export class ImportedJob extends JobBase {
  readonly name: string;
  readonly functionName: string;
  protected readonly prefix: string;
  protected readonly metrics: MetricsByJob;

  constructor(scope: Construct, id: string, attributes: ScheduledJobAttributes) {
    super(scope, id);
    this.name = attributes.jobName;
    this.prefix = attributes.prefix;
    this.metrics = attributes.metrics ?? 'failures';
    this.functionName = attributes.functionName ?? functionName(attributes.prefix, attributes.jobName);
  }
}

function notTold(job: string, metric: JobMetric, metrics: MetricsByJob): BelfryError {
  const enough = isToldByJob(metric, 'failures') ? 'failures' : 'detailed';
  return new BelfryError(
    'MetricNotTold',
    `job '${job}' has metrics: '${metrics}', so it does not send ${metric} under its own name, and a graph or an alarm of it would never get data: give the job metrics: '${enough}', or use the metric of all jobs together, scheduler.metric('${metric}')`,
  );
}
