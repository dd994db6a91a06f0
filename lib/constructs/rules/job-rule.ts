import type { JobDefinition } from '../../domain/job.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { AwsSchedule } from '../../domain/translation/aws-schedule.ts';
import type { CreatableSchedules } from '../../domain/translation/creatable-schedules.ts';
import type { ResolvedJobOptions } from '../job-options.ts';

/** A job as a rule sees it: everything that is known of it at synth. */
export interface JobUnderRules {
  readonly name: string;
  readonly definition: JobDefinition;
  readonly options: ResolvedJobOptions;
  readonly schedule: Schedule;
  /** Those that are made. */
  readonly awsSchedules: readonly AwsSchedule[];
  /** Those that are not made, because AWS would refuse to create them. */
  readonly leftOut: Omit<CreatableSchedules, 'creatable'>;
  /** Name that its Lambda function gets. */
  readonly functionName: string;
  /** Timeout of the function that it shares with other jobs, in milliseconds. */
  readonly fleetTimeoutMs?: number;
  /** The instant of this synth, epoch milliseconds. */
  readonly now: number;
}

/**
 * Something knowable at synth that AWS would refuse at deploy, or silently do wrong. `error` stops the synth, `warning`
 * and `note` are printed by the CDK.
 */
export interface JobRule {
  /** PascalCase, public: the error's name, or the last part of the warning's id. */
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'note';
  /** What is wrong with this job, or undefined. The job's name is put in front of it. */
  readonly check: (job: JobUnderRules) => string | undefined;
}
