import { isAbsolute, join } from 'node:path';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { ArnFormat, Duration, Lazy, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { JobMetric } from '../domain/contract/metrics.ts';
import { functionNames, isFunctionOf, scheduleGroup } from '../domain/contract/names.ts';
import { BelfryError } from '../domain/errors.ts';
import type { Manifest } from '../domain/job.ts';
import { belfryMetric } from './job-metrics.ts';
import type { JobOptions } from './job-options.ts';
import type { DeclaredJob, JobOverride, JobSchedulerProps } from './job-scheduler-props.ts';
import { type JobShard, JobShards } from './job-shard.ts';
import { exportLastingly } from './lasting-exports.ts';
import { manifestPart } from './manifest-part.ts';
import { outermostStack } from './outermost-stack.ts';
import { tellRoleQuota } from './role-quota.ts';
import { checkRoster, newJobsHere } from './roster.ts';
import { RunTable } from './run-table.ts';
import { prefixOf } from './scheduler-prefix.ts';
import { limitTemplates } from './template-limits.ts';

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
  /** What all names of the scheduler begin with. */
  readonly prefix: string;
  readonly scheduleGroup: CfnScheduleGroup;
  readonly scheduleGroupName: string;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey: IKey | undefined;
  /** Whether functions arm one-time schedules; undefined: those that surely reach EventBridge Scheduler. */
  readonly wakeUps: boolean | undefined;
  /** Events that neither EventBridge Scheduler nor Lambda could deliver. */
  readonly deadLetters: IQueue;

  private readonly overrides: Readonly<Record<string, JobOverride>>;
  private readonly declared = new Map<string, DeclaredJob>();
  private readonly fleets = new Set<string>();
  private readonly listeners: ((job: DeclaredJob) => void)[] = [];
  private readonly shards: JobShards;

  constructor(scope: Construct, id: string, props: JobSchedulerProps) {
    super(scope, id);
    assertEnvironmentName(props.environment);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.DESTROY;
    this.removalPolicy = removalPolicy;
    this.logRetention = props.logRetention ?? RetentionDays.ONE_MONTH;
    this.encryptionKey = props.encryptionKey;
    this.wakeUps = props.wakeUps;
    this.environment = props.environment;
    this.defaults = props.defaults ?? {};
    this.overrides = props.overrides ?? {};
    this.root = props.root ?? process.cwd();
    this.now = (props.now ?? new Date()).getTime();
    this.prefix = prefixOf(this, props.prefix);
    this.table =
      props.table ??
      new RunTable(this, 'RunTable', {
        removalPolicy,
        ...(props.encryptionKey === undefined ? {} : { encryptionKey: props.encryptionKey }),
      });
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...(props.encryptionKey === undefined
        ? { encryption: QueueEncryption.SQS_MANAGED }
        : { encryption: QueueEncryption.KMS, encryptionMasterKey: props.encryptionKey }),
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy,
    });
    const { queueArn, queueUrl, queueName } = this.deadLetters;
    exportLastingly(this, [queueArn, queueUrl, queueName]);

    this.scheduleGroupName = scheduleGroup(this.prefix);
    this.scheduleGroup = new CfnScheduleGroup(this, 'Group', { name: this.scheduleGroupName });
    // A group holds nothing but its schedules. Retained, its fixed name would be in the way of the next deployment.
    this.scheduleGroup.applyRemovalPolicy(RemovalPolicy.DESTROY);
    this.shards = new JobShards(this, props.stacks ?? 1);
    limitTemplates(this, this.shards.stacksWith(this));
    tellRoleQuota(this);
    props.encryptionKey?.grantEncryptDecrypt(new ServicePrincipal(`logs.${Stack.of(this).region}.amazonaws.com`));
    this.node.addValidation({ validate: () => this.unknownOverrides() });
    const { roster } = props;
    if (roster !== undefined) {
      const file = isAbsolute(roster) ? roster : join(this.root, roster);
      this.node.addValidation({
        validate: () =>
          checkRoster(
            { file, scheduler: this.prefix, stacks: this.stacks, newJobs: newJobsHere() },
            this.jobs.map(({ definition }) => definition),
          ),
      });
    }
  }

  get jobs(): readonly DeclaredJob[] {
    return [...this.declared.values()];
  }

  /** Over how many stacks the jobs are spread. */
  get stacks(): number {
    return this.shards.count;
  }

  /** The stacks of the jobs as `cdk deploy` takes them: a path, or a pattern of paths. */
  get jobsStacks(): string {
    const { path } = outermostStack(Stack.of(this)).node;
    return this.stacks === 1 ? path : `${path}*`;
  }

  /** What the watchdog is told, all parts together. */
  get manifest(): Manifest {
    return {
      ...manifestPart(this.jobs),
      environment: this.environment,
      scheduler: this.prefix,
      jobsStacks: this.jobsStacks,
    };
  }

  /** The schedules that tell the watchdog of the jobs, one in each stack. */
  get manifestSchedules(): readonly CfnSchedule[] {
    return this.shards.manifests;
  }

  /** Calls back for each job there is, and for each that comes later. */
  onJob(listener: (job: DeclaredJob) => void): void {
    this.listeners.push(listener);
    for (const job of this.jobs) listener(job);
  }

  /**
   * ARNs that cover the functions of all jobs and nothing else, settled at synth. Where jobs are spread over stacks, by
   * prefix: another job then changes its own stack only.
   */
  functionArns(scope: Construct): string[] {
    const most = this.stacks > 1 ? 0 : MOST_FUNCTIONS_NAMED;
    return this.coveringArns(scope, () => this.jobs.map((job) => job.functionName), most);
  }

  /** ARNs that cover the functions of all jobs and of those to come, by prefix: whoever has them need not be deployed for one. */
  functionArnsToCome(scope: Construct): string[] {
    return this.coveringArns(scope, () => this.jobs.map((job) => job.functionName), -1);
  }

  /** ARNs that cover functions of jobs, settled at synth: each by name, or their prefix when they are more than `most`. */
  coveringArns(scope: Construct, functions: () => readonly string[], most = MOST_FUNCTIONS_NAMED): string[] {
    return Lazy.list({
      produce: () => {
        const names = [...new Set(functions())];
        const covering =
          names.length > most
            ? [functionNames(this.prefix), ...names.filter((name) => !isFunctionOf(this.prefix, name))]
            : names;
        return covering.map((name) => this.functionArnOf(scope, name));
      },
    });
  }

  functionArnOf(scope: Construct, functionName: string): string {
    return Stack.of(scope).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: functionName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }

  /** Which stack a job goes to, and what it shares there. */
  shardOf(job: string): JobShard {
    return this.shards.of(job);
  }

  /** What a function needs so that it may use the customer key of what it writes to. */
  keyStatements(): PolicyStatement[] {
    const keys = [this.encryptionKey, this.table.encryptionKey].filter((key) => key !== undefined);
    if (keys.length === 0) return [];
    return [
      new PolicyStatement({
        sid: 'Keys',
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: [...new Set(keys.map((key) => key.keyArn))],
      }),
    ];
  }

  /** A metric of all jobs together. */
  metric(name: JobMetric, options?: MetricOptions): Metric {
    return belfryMetric(name, { scheduler: this.prefix }, options);
  }

  /** Called by a job when it is declared. */
  overrideOf(name: string, fleet?: string): JobOverride {
    const owner = [...this.fleets].find((other) => name.startsWith(`${other}-`) && other !== fleet);
    if (owner !== undefined) {
      throw new BelfryError(
        'NameOfFleet',
        `job '${name}' has a name like the jobs of fleet '${owner}', and the function of this fleet may change the records of all such jobs: give the job another name, or make it a job of the fleet`,
      );
    }
    if (this.declared.has(name)) {
      throw new BelfryError(
        'DuplicateJob',
        `job '${name}' is declared twice in ${this.node.path}: a name identifies a job, so give the second one another name`,
      );
    }
    return this.overrides[name] ?? {};
  }

  /** Called by a fleet before it has jobs. */
  registerFleet(name: string): void {
    const taken = [...this.declared.keys()].find((job) => job.startsWith(`${name}-`));
    const nested = [...this.fleets].find((other) => other.startsWith(`${name}-`) || name.startsWith(`${other}-`));
    if (taken !== undefined || nested !== undefined) {
      throw new BelfryError(
        'NameOfFleet',
        `fleet '${name}' and ${taken === undefined ? `fleet '${nested}'` : `job '${taken}'`} have names of which one begins with the other, so one function could change the records of both: give the fleet another name`,
      );
    }
    this.fleets.add(name);
  }

  /** Called by a job's shard when the job is complete. */
  register(job: DeclaredJob): void {
    this.declared.set(job.name, job);
    for (const listener of this.listeners) listener(job);
  }

  /** Lets somebody invoke every job, as `belfry trigger` does. */
  grantTrigger(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: this.functionArns(this) }),
    );
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
