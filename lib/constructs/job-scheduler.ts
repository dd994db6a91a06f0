import { type IGrantable, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { ArnFormat, Duration, Lazy, Names, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { BelfryError } from '../domain/errors.ts';
import type { Manifest } from '../domain/job.ts';
import type { WhenDue } from './job-definition.ts';
import type { JobOptions } from './job-options.ts';
import { RunTable } from './run-table.ts';
import type { ScheduledJob } from './scheduled-job.ts';

/** What one environment says differently about one job. */
export interface JobOverride extends JobOptions, Partial<WhenDue> {}

export interface JobSchedulerProps {
  /** Name of the environment, e.g. `prod`: a dimension of all metrics and part of the functions' names. */
  readonly environment: string;
  /**
   * Where runs are recorded.
   *
   * @default - a new RunTable inside this construct
   */
  readonly table?: RunTable;
  /**
   * Options of all jobs that do not say otherwise.
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
   * Functions are named `<prefix>-<job>`: names known beforehand need no exports between stacks, so that jobs come and go
   * without holding up a deployment. Two schedulers in one account and region need two prefixes.
   *
   * @default - `belfry-<environment>`
   */
  readonly functionNamePrefix?: string;
  /**
   * How long the jobs' logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * What happens to logs and undelivered events when the stack is destroyed.
   *
   * @default RemovalPolicy.DESTROY
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Folder that the jobs' `entry` paths start from.
   *
   * @default - the folder that the app runs in
   */
  readonly root?: string;
  /**
   * The instant of this synth. Schedules are looked at from here: which never fire again, which meet a clock change.
   *
   * @default - now
   */
  readonly now?: Date;
}

/** Up to here a policy names each function; beyond, it would outgrow IAM's 10,240 characters, and names the prefix. */
const MOST_FUNCTIONS_NAMED = 60;

/**
 * What jobs share: their defaults, the schedule group, the role that EventBridge Scheduler invokes them with, the log
 * group, the queue for events that could not be delivered, and the manifest that the watchdog reads.
 */
export class JobScheduler extends Construct {
  readonly environment: string;
  readonly table: RunTable;
  readonly defaults: JobOptions;
  readonly root: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly functionNamePrefix: string;
  readonly scheduleGroup: CfnScheduleGroup;
  readonly scheduleGroupName: string;
  /** What EventBridge Scheduler assumes to invoke the jobs. */
  readonly schedulerRole: Role;
  readonly logGroup: ILogGroup;
  /** Events that neither EventBridge Scheduler nor Lambda could deliver. */
  readonly deadLetters: IQueue;

  private readonly overrides: Readonly<Record<string, JobOverride>>;
  private readonly declared = new Map<string, ScheduledJob>();
  private readonly listeners: ((job: ScheduledJob) => void)[] = [];

  constructor(scope: Construct, id: string, props: JobSchedulerProps) {
    super(scope, id);
    assertEnvironmentName(props.environment);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.DESTROY;
    this.environment = props.environment;
    this.defaults = props.defaults ?? {};
    this.overrides = props.overrides ?? {};
    this.root = props.root ?? process.cwd();
    this.now = (props.now ?? new Date()).getTime();
    this.functionNamePrefix = props.functionNamePrefix ?? `belfry-${props.environment}`;
    this.table = props.table ?? new RunTable(this, 'RunTable', { removalPolicy });
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy,
    });
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy,
    });

    this.scheduleGroupName = Names.uniqueResourceName(this, { maxLength: 64, separator: '-' });
    this.scheduleGroup = new CfnScheduleGroup(this, 'Group', { name: this.scheduleGroupName });
    // A group holds nothing but its schedules. Retained, its fixed name would be in the way of the next deployment.
    this.scheduleGroup.applyRemovalPolicy(RemovalPolicy.DESTROY);
    this.schedulerRole = this.createSchedulerRole();
    this.node.addValidation({ validate: () => this.unknownOverrides() });
  }

  get jobs(): readonly ScheduledJob[] {
    return [...this.declared.values()];
  }

  /** The jobs whose schedules fire: nobody waits for the others. */
  get manifest(): Manifest {
    const jobs = this.jobs.filter((job) => job.options.enabled).map((job) => job.definition);
    // Of all jobs: one that is disabled may still have a run to finish.
    const functions = Object.fromEntries(this.jobs.map((job) => [job.name, job.functionName]));
    return { version: 1, environment: this.environment, jobs, functions };
  }

  /** Calls back for each job there is, and for each that comes later. */
  onJob(listener: (job: ScheduledJob) => void): void {
    this.listeners.push(listener);
    for (const job of this.jobs) listener(job);
  }

  /** ARNs that cover the jobs' functions and nothing else, as a list that is settled at synth. */
  functionArns(scope: Construct): string[] {
    return Lazy.list({
      produce: () =>
        this.declared.size > MOST_FUNCTIONS_NAMED
          ? [this.functionArn(scope, `${this.functionNamePrefix}-*`)]
          : this.jobs.map((job) => this.functionArn(scope, job.functionName)),
    });
  }

  /** Called by a job when it is declared. */
  overrideOf(name: string): JobOverride {
    if (this.declared.has(name)) {
      throw new BelfryError(
        'DuplicateJob',
        `job '${name}' is declared twice in ${this.node.path}: names are identities, give the second one another`,
      );
    }
    return this.overrides[name] ?? {};
  }

  /** Called by a job when it is complete. */
  register(job: ScheduledJob): void {
    this.declared.set(job.name, job);
    for (const listener of this.listeners) listener(job);
  }

  /** Lets somebody invoke every job, as `belfry trigger` does. */
  grantTrigger(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: this.functionArns(this) }),
    );
  }

  private functionArn(scope: Construct, functionName: string): string {
    return Stack.of(scope).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: functionName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }

  private createSchedulerRole(): Role {
    return new Role(this, 'SchedulerRole', {
      description: `EventBridge Scheduler invokes the jobs of ${this.environment}`,
      // Only schedules of this group: the role cannot be borrowed by somebody else's.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': this.scheduleGroup.attrArn,
          },
        },
      }),
      // Inline, so that no schedule can exist before its role may invoke: there is no policy resource to wait for.
      inlinePolicies: {
        InvokeJobs: new PolicyDocument({
          statements: [
            new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: this.functionArns(this) }),
            new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.deadLetters.queueArn] }),
          ],
        }),
      },
    });
  }

  private unknownOverrides(): string[] {
    const unknown = Object.keys(this.overrides).filter((name) => !this.declared.has(name));
    return unknown.map(
      (name) =>
        `UnknownJobOverride: environment '${this.environment}' overrides job '${name}', which is not declared; declared are ${[...this.declared.keys()].join(', ')}`,
    );
  }
}

function assertEnvironmentName(name: string): void {
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name)) {
    throw new BelfryError(
      'IllegalEnvironmentName',
      `environment name '${name}' is not allowed: use 1 to 20 lower-case letters, digits and hyphens, starting with a letter, e.g. 'prod'`,
    );
  }
}
