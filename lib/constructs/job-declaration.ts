import { Annotations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { BelfryError } from '../domain/errors.ts';
import { assertJobName, type JobDefinition } from '../domain/job.ts';
import { planRetention } from '../domain/run/plan-retention.ts';
import { parseSchedule } from '../domain/schedule/parse-schedule.ts';
import type { AwsSchedule } from '../domain/translation/aws-schedule.ts';
import { creatableSchedules } from '../domain/translation/creatable-schedules.ts';
import { translateSchedule } from '../domain/translation/translate-schedule.ts';
import { isForThisMachine } from './bundle/build.ts';
import { defineJobOf, type FormerName, type WhenDue } from './job-definition.ts';
import { type JobOptions, type ResolvedJobOptions, resolveJobOptions } from './job-options.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { assertEffective } from './rules/effective-options.ts';
import { adviseJob, assertJobRules } from './rules/job-rules.ts';

/** A job with nothing left open, checked. */
export interface JobDeclaration {
  readonly name: string;
  readonly definition: JobDefinition;
  readonly options: ResolvedJobOptions;
  readonly functionName: string;
  readonly awsSchedules: readonly AwsSchedule[];
  /** What is doubtful about it, to be attached to its construct. */
  readonly advice: ReturnType<typeof adviseJob>;
}

/**
 * Brings together what the scheduler, the job and the environment say, and applies the rules.
 * @throws BelfryError named by the rule that is broken
 */
export function declareJob(
  scheduler: JobScheduler,
  name: string,
  props: WhenDue & FormerName & JobOptions,
  {
    functionName,
    defaults = {},
    decidedElsewhere,
    fleet,
  }: {
    readonly functionName: string;
    readonly defaults?: JobOptions;
    /** What the environment cannot say of this job, and why. */
    readonly decidedElsewhere?: { readonly options: readonly string[]; readonly why: string };
    readonly fleet?: { readonly name: string; readonly timeoutMs: number };
  },
): JobDeclaration {
  assertJobName(name);
  const override = scheduler.overrideOf(name, fleet?.name);
  if (decidedElsewhere !== undefined) {
    assertEffective(name, override, decidedElsewhere.options, decidedElsewhere.why);
  }
  const options = withMetricOfAlarm(resolveJobOptions(scheduler.defaults, defaults, props, override));
  const when = {
    schedule: override.schedule ?? props.schedule,
    timeZone: override.timeZone ?? props.timeZone,
    ...(props.renamedFrom === undefined ? {} : { renamedFrom: props.renamedFrom }),
  };
  const declared = defineJobOf(name, when, options);
  const [schedule, { creatable: awsSchedules, ...leftOut }] = named(name, () => {
    const parsed = parseSchedule(when.schedule, { timeZone: when.timeZone, dst: declared.dst });
    const translated = translateSchedule(parsed);
    // The local runtime has a clock of its own, and creates whatever it is given.
    const creatable = isForThisMachine()
      ? { creatable: translated, passed: [], tooNear: [] }
      : creatableSchedules(translated, scheduler.now);
    return [parsed, creatable] as const;
  });
  const retentionMs = planRetention(schedule);
  const definition = retentionMs === undefined ? declared : { ...declared, retentionMs };
  const seen = {
    name,
    definition,
    options,
    functionName,
    schedule,
    awsSchedules,
    leftOut,
    now: scheduler.now,
    ...(fleet === undefined ? {} : { fleetTimeoutMs: fleet.timeoutMs }),
  };
  assertJobRules(seen);
  return { name, definition, options, functionName, awsSchedules, advice: adviseJob(seen) };
}

/** An alarm of the job's own needs what it watches. */
function withMetricOfAlarm(options: ResolvedJobOptions): ResolvedJobOptions {
  return options.failedAlarm && options.metrics === 'scheduler' ? { ...options, metrics: 'failures' } : options;
}

/** Attaches warnings and notes to the job's construct, where the CDK prints them. */
export function annotate(construct: Construct, { advice }: JobDeclaration): void {
  for (const { rule, message } of advice) {
    if (rule.severity === 'warning') Annotations.of(construct).addWarningV2(`belfry:${rule.code}`, message);
    else Annotations.of(construct).addInfoV2(`belfry:${rule.code}`, message);
  }
}

/** Puts the job's name in front of what the schedule language has to say. */
function named<T>(job: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BelfryError) {
      throw new BelfryError(error.code, `job '${job}': ${error.message}`, { cause: error });
    }
    throw error;
  }
}
