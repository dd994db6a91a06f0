import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { RemovalPolicy } from 'aws-cdk-lib/core';
import type { JobDefinition } from '../domain/job.ts';
import type { AwsSchedule } from '../domain/translation/aws-schedule.ts';
import type { IScheduledJob } from './job-base.ts';
import type { WhenDue } from './job-definition.ts';
import type { JobOptions, ResolvedJobOptions } from './job-options.ts';
import type { RunTable } from './run-table.ts';

/** What one environment says differently about one job. */
export interface JobOverride extends JobOptions, Partial<WhenDue> {}

/** A job that a scheduler knows: one with a function of its own, or one of a fleet. */
export interface DeclaredJob extends IScheduledJob {
  readonly definition: JobDefinition;
  readonly options: ResolvedJobOptions;
  readonly awsSchedules: readonly AwsSchedule[];
}

export interface JobSchedulerProps {
  /**
   * Name of the environment, e.g. `prod`. It stands in messages and log lines, and the commands take it as `--environment`.
   * Other apps in the account may have an environment of the same name.
   */
  readonly environment: string;
  /**
   * Table in which runs are recorded. Put it into a stack of its own, so that the stack of the jobs can be destroyed without
   * it. A new table has no records of earlier runs: an occurrence that is due while you change the table may run twice.
   *
   * @default - a new RunTable inside this construct
   */
  readonly table?: RunTable;
  /**
   * Options of all jobs. A job that sets an option itself keeps its own value.
   *
   * @default - see JobOptions
   */
  readonly defaults?: JobOptions;
  /**
   * Options of single jobs in this environment, by job name. They win over the options that the job sets itself.
   *
   * @default - nothing
   */
  readonly overrides?: Readonly<Record<string, JobOverride>>;
  /**
   * Prefix of all names of the scheduler, in 1 to 32 letters, digits and hyphens: a job's function and schedule are
   * `<prefix>_<job>`, the watchdog is `<prefix>-watchdog`. It is also the dimension of all metrics. It must be unique in
   * an account and Region. If you change the prefix, all functions and schedules are created anew, metrics start empty,
   * and the retries of runs that have begun get other idempotency keys. The run table stays. Names that would be too long
   * are cut and end in a hash.
   *
   * @default - the name of the scheduler's stack, which CloudFormation keeps unique; of more than 32 characters, its
   * beginning and a hash
   */
  readonly prefix?: string;
  /**
   * How long the jobs' logs are kept. Stored logs are billed by their size every month. Choose it longer than the longest time
   * after which you still look into a failure.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * What happens to data when the stack is destroyed: logs (also those of the watchdog and of lifecycle events), undelivered
   * events, and a run table that this construct made. `RETAIN` keeps the data, and AWS goes on billing them.
   *
   * @default RemovalPolicy.DESTROY
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Number of stacks that the jobs are spread over. With 1, jobs are in the scheduler's own stack; with more, each of these
   * stacks is beside it. A stack holds 500 resources: about 120 jobs with a function of their own, or 400 jobs in fleets. The
   * stack of a job follows from its name, so a new job moves no other job. Another number moves many jobs, and CloudFormation
   * refuses this while they keep their names: if you change the number, change the `prefix` in the same deployment.
   *
   * @default 1
   */
  readonly stacks?: number;
  /**
   * Customer key that encrypts logs, undelivered events, the functions' environment variables, and a run table that this
   * construct made. It costs about 1 USD a month and a charge for each use. If the key is deleted or disabled, no job runs
   * any more. Without a customer key, whoever may read a resource may read its data.
   *
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /**
   * Whether functions create one-time schedules for what comes after an invocation: a retry after more than a minute, a
   * continuation, a run that waits for another. These then start in their minute, even if the watchdog has stopped. `false`:
   * the watchdog delivers them, in the minute after. `true`: functions in a network create such schedules, too. Their
   * network must let them reach EventBridge Scheduler; otherwise every retry waits seconds for an answer. A `function` that
   * exists already never creates such schedules.
   *
   * @default - for functions outside of networks
   */
  readonly wakeUps?: boolean;
  /**
   * File that lists the names of the jobs, e.g. `belfry.roster`, relative to the root. Synth writes it; commit it, like
   * `cdk.context.json`. A job that is listed and not declared any more is an error, unless another job says `renamedFrom`. So
   * no job is renamed by mistake. To remove a job, delete its line. In a build (`CI` is set) the file is not written, and a
   * job that is not listed is an error.
   *
   * @default - names are not compared with what was before
   */
  readonly roster?: string;
  /**
   * Folder that the paths in the jobs' `entry` and `files` are relative to.
   *
   * @default - the folder that the app runs in
   */
  readonly root?: string;
  /**
   * The instant of this synth, for tests. Rules about time look from here: which times have passed, which come too soon for a
   * schedule to be created, which fall into a clock change.
   *
   * @default - now
   */
  readonly now?: Date;
}
