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
   * Name of the environment, e.g. `prod`, for people: in texts, log lines and for the commands. Other apps in the account may
   * have an environment of the same name.
   */
  readonly environment: string;
  /**
   * Where runs are recorded. In a stack of its own it outlives what is deployed often. Another table knows nothing of runs
   * that were: what is due while it is changed may run twice.
   *
   * @default - a new RunTable inside this construct
   */
  readonly table?: RunTable;
  /**
   * Options of all jobs that do not say otherwise. What is said here changes every job that leaves it out.
   *
   * @default - see JobOptions
   */
  readonly defaults?: JobOptions;
  /**
   * What this environment says differently, by job name. It wins over what the job says.
   *
   * @default - nothing
   */
  readonly overrides?: Readonly<Record<string, JobOverride>>;
  /**
   * What all names of the scheduler begin with, in 1 to 32 letters, digits and hyphens: a job's function and schedule are
   * `<prefix>_<job>`, the watchdog is `<prefix>-watchdog`. It is also the dimension of all metrics. It must be unique in
   * an account and Region. With another prefix, all functions and schedules are made anew, metrics begin at nothing,
   * and runs that are going on get other idempotency keys; the run table stays. Names that would be too long are cut and end in a hash.
   *
   * @default - the name of the scheduler's stack, which CloudFormation keeps unique; of more than 32 characters, its
   * beginning and a hash
   */
  readonly prefix?: string;
  /**
   * How long the jobs' logs are kept. Short, and what failed over a holiday cannot be explained; long, and they are billed by
   * their size every month.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * What happens to logs (those of the watchdog and of lifecycle events, too) and undelivered events, and to a run table made
   * here, when the stack is destroyed. Destroyed, nobody can tell any more what ran; retained, they are left behind and billed.
   *
   * @default RemovalPolicy.DESTROY
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Number of stacks that the jobs are spread over: one is the scheduler's own, more are beside it. A stack holds 500
   * resources, so about 120 jobs with a function of their own, or 400 in fleets. A job's stack follows from its name:
   * adding a job moves no other, but changing this number moves many, which CloudFormation cannot do while they keep their
   * names: change it together with the `prefix`, or choose it once.
   *
   * @default 1
   */
  readonly stacks?: number;
  /**
   * Customer key that encrypts logs, undelivered events and the functions' environment variables, and a run table made here.
   * About 1 USD a month and a charge for each use; when it is deleted or disabled, no job runs any more. Without, whoever
   * may read the resource may read what is in it.
   *
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /**
   * Whether what does not fit into an invocation (a retry after a longer delay, a continuation, a run that waits for
   * another) gets a one-time schedule, and comes in its minute, also where no watchdog is deployed or it has stopped. A
   * function may then create schedules in its jobs' names that do what it may do itself. `false`: the watchdog alone
   * delivers, in the minute after. `true`: also for functions in a network, which then need a way to EventBridge
   * Scheduler, or every retry waits seconds for an answer. A `function` that exists already has none.
   *
   * @default - for functions outside of networks
   */
  readonly wakeUps?: boolean;
  /**
   * File that remembers the names of the jobs, e.g. `belfry.roster`, relative to the root. It is written at synth, like
   * `cdk.context.json`, and belongs to the sources. A job that is listed and not declared any more is an error unless another
   * says `renamedFrom`, so that none is renamed by mistake. In a build (`CI` is set) nothing is written: a job that is not
   * listed is an error there. Without, a name that was changed by mistake is a new job at the next deployment; with, whoever
   * removes a job takes its line out.
   *
   * @default - names are not compared with what was before
   */
  readonly roster?: string;
  /**
   * Folder that the jobs' `entry` and `files` start from. A wrong one is an error at synth.
   *
   * @default - the folder that the app runs in
   */
  readonly root?: string;
  /**
   * The instant of this synth. Schedules are looked at from here: which never fire again, which meet a clock change, when an
   * interval starts. In the past, AWS refuses the start of an interval; far ahead, that starts late.
   *
   * @default - now
   */
  readonly now?: Date;
}
