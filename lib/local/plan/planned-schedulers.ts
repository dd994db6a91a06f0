import type { PricedScheduler } from '../../domain/cost/monthly-usage.ts';
import type { PlannedJobWithParts, PlannedScheduler } from '../../domain/plan/monthly-costs.ts';
import { refusedAMonth } from '../../domain/translation/surplus-firings.ts';
import type { TemplateResource } from '../assembly/template.ts';
import { type TemplateJob, templateJobs } from './planned-jobs.ts';
import { resourcesOf, type TemplateStack } from './template-stack.ts';

/** Lambda's own default, in MiB. */
const DEFAULT_MEMORY = 128;
/** A log group without a retention keeps what it has: counted as ten years. */
const FOREVER_DAYS = 3_650;

/**
 * The schedulers of these stacks, with what is paid for: counted in the templates. What belongs to no job (alarms,
 * dashboards, keys) is counted once, with the first scheduler.
 */
export function plannedSchedulers(stacks: readonly TemplateStack[]): readonly PlannedScheduler[] {
  const jobs = templateJobs(stacks);
  const names = [...new Set(jobs.map(({ job }) => job.scheduler))];
  const alarms = alarmsByJob(stacks);
  const whole = partsOf(stacks, alarms);
  const none = { ...whole, alarms: 0, dashboards: 0, kmsKeys: 0 };
  return names.map((name, index) => ({
    name,
    jobs: jobs.filter(({ job }) => job.scheduler === name).map((one) => withParts(one, alarms)),
    parts: index === 0 ? whole : none,
  }));
}

function withParts({ job, awsSchedules, function: properties }: TemplateJob, alarms: AlarmCounts): PlannedJobWithParts {
  return {
    job,
    memoryMiB: Number(properties?.MemorySize ?? DEFAULT_MEMORY),
    metrics: job.definition.metrics ?? 'failures',
    refusedAMonth: refusedAMonth(awsSchedules),
    alarms: alarms.get(job.definition.name) ?? 0,
  };
}

function partsOf(stacks: readonly TemplateStack[], alarms: AlarmCounts): PricedScheduler {
  const count = (type: string) => resourcesOf(stacks, type).length;
  const ofJobs = [...alarms.values()].reduce((sum, number) => sum + number, 0);
  return {
    alarms: count('AWS::CloudWatch::Alarm') - ofJobs,
    dashboards: count('AWS::CloudWatch::Dashboard'),
    kmsKeys: count('AWS::KMS::Key'),
    logRetentionDays: Math.max(
      1,
      ...resourcesOf(stacks, 'AWS::Logs::LogGroup').map(({ Properties }) =>
        Number(Properties?.RetentionInDays ?? FOREVER_DAYS),
      ),
    ),
    lifecycleEvents: count('AWS::Lambda::EventSourceMapping') > 0 && count('AWS::Events::EventBus') > 0,
    backup: [...resourcesOf(stacks, 'AWS::DynamoDB::GlobalTable'), ...resourcesOf(stacks, 'AWS::DynamoDB::Table')].some(
      ({ Properties }) => JSON.stringify(Properties ?? {}).includes('"PointInTimeRecoveryEnabled":true'),
    ),
  };
}

type AlarmCounts = ReadonlyMap<string, number>;

/** How many alarms watch a metric of one job. */
function alarmsByJob(stacks: readonly TemplateStack[]): AlarmCounts {
  const counts = new Map<string, number>();
  for (const alarm of resourcesOf(stacks, 'AWS::CloudWatch::Alarm')) {
    const job = jobOf(alarm);
    if (job !== undefined) counts.set(job, (counts.get(job) ?? 0) + 1);
  }
  return counts;
}

function jobOf({ Properties }: TemplateResource): string | undefined {
  const text = JSON.stringify(Properties ?? {});
  return /\{"Name":"Job","Value":"([a-z0-9-]+)"\}/.exec(text)?.[1];
}
