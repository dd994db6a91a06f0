import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { JobMetric } from '../domain/contract/metrics.ts';
import type { Severity } from '../domain/contract/severity.ts';
import { type AlarmPlan, AlarmSet, type AlarmSetProps } from './alarm-set.ts';
import { belfryMetric } from './job-metrics.ts';
import type { JobScheduler } from './job-scheduler.ts';

/** What a job can have an alarm of its own for. */
export type JobAlarmKind = 'failed' | 'timedOut' | 'missed' | 'overdue' | 'late' | 'slow';

export interface JobAlarmsProps extends AlarmSetProps {
  /** Name of the job. */
  readonly job: string;
  /**
   * What to ring for.
   *
   * @default - `failed`, `missed` and `overdue`
   */
  readonly kinds?: readonly JobAlarmKind[];
  /**
   * Where each kind is sent, if not where the environment's alarm of that kind goes.
   *
   * @default - overdue pages; failed and timedOut are tickets; the others warn
   */
  readonly severities?: Readonly<Partial<Record<JobAlarmKind, Severity>>>;
}

interface Kind {
  readonly metric: JobMetric;
  readonly severity: Severity;
  readonly says: string;
}

const KINDS: Readonly<Record<JobAlarmKind, Kind>> = {
  failed: { metric: 'Failed', severity: 'ticket', says: 'failed in its last attempt' },
  timedOut: { metric: 'TimedOut', severity: 'ticket', says: 'was still going at its timeout' },
  missed: { metric: 'Missed', severity: 'warn', says: 'did not start' },
  overdue: {
    metric: 'Overdue',
    severity: 'page',
    says: 'has no success by its time, expectedDuration and five minutes',
  },
  late: { metric: 'Late', severity: 'warn', says: 'did not begin within its startGrace' },
  slow: { metric: 'Slow', severity: 'warn', says: 'takes more than twice its usual time' },
};

/**
 * Alarms of one job's own, for one that somebody in particular answers for or that other alarms build upon. The watchdog
 * tells of the same by itself, some two minutes earlier: send these elsewhere, or people hear of it twice.
 */
export class JobAlarms extends AlarmSet {
  constructor(scope: Construct, id: string, props: JobAlarmsProps) {
    super(scope, id, props);
    const { job } = props;
    this.node.addValidation({
      validate: () => {
        const declared = this.scheduler.jobs.find(({ name }) => name === job);
        if (declared === undefined)
          return [
            ofNoJob(
              job,
              this.scheduler.jobs.map(({ name }) => name),
            ),
          ];
        return declared.options.metrics === 'scheduler' ? [notTold(job)] : [];
      },
    });
    for (const kind of props.kinds ?? ['failed', 'missed', 'overdue']) {
      const plan = jobAlarmPlan(this.scheduler, job, kind, props.severities?.[kind]);
      // Not as the alarm by option is called: a job can go from that to this, and both are there for a while.
      this.add({ ...plan, id: `${job}-${plan.id}` });
    }
  }
}

/** An alarm on a metric that nobody writes is quiet for ever. */
function ofNoJob(job: string, declared: readonly string[]): string {
  return `AlarmOfNoJob: alarms for job '${job}', which is not declared, would never ring; declared are ${declared.join(', ')}`;
}

function notTold(job: string): string {
  return `MetricNotTold: alarms for job '${job}', which has metrics: 'scheduler' and sends no metric under its own name, would never ring: give it metrics: 'failures'`;
}

/** The alarm of one job for one kind. Its id is unique in the job. */
export function jobAlarmPlan(
  { prefix, environment }: JobScheduler,
  job: string,
  kind: JobAlarmKind,
  severity?: Severity,
): AlarmPlan {
  const { metric, says, severity: usual } = KINDS[kind];
  return {
    id: metric,
    severity: severity ?? usual,
    metric: belfryMetric(metric, { scheduler: prefix, job }, { period: Duration.minutes(1) }),
    threshold: 1,
    says: `a run of job ${job} in ${environment} ${says}`,
    command: `belfry runs ${job}`,
  };
}
