import { createHash } from 'node:crypto';
import { PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Stack, Stage } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { functionNames, manifestPartNames } from '../domain/contract/names.ts';
import { BelfryError } from '../domain/errors.ts';
import { acknowledgeWildcards } from './acknowledge-wildcards.ts';
import type { JobScheduler } from './job-scheduler.ts';
import type { DeclaredJob } from './job-scheduler-props.ts';
import { createManifestPart } from './manifest-part.ts';
import { schedulerPrincipal } from './scheduler-principal.ts';

/** More, and two digits would not name them. */
const MOST_STACKS = 100;

/**
 * Where some of a scheduler's jobs live: its own stack, or one of several. Jobs of a shard share a log group and the role
 * that EventBridge Scheduler assumes.
 */
export class JobShard {
  readonly scope: Construct;
  /** From 0. */
  readonly index: number;
  /** Tells the watchdog which jobs are here. */
  readonly manifest: CfnSchedule;
  private readonly scheduler: JobScheduler;
  private readonly jobs: DeclaredJob[] = [];
  private role: Role | undefined;
  private logs: LogGroup | undefined;

  /** @param manifest name of its part of the manifest */
  constructor(scope: Construct, scheduler: JobScheduler, index: number, manifest: string) {
    this.scope = scope;
    this.scheduler = scheduler;
    this.index = index;
    this.manifest = createManifestPart(scope, scheduler, { name: manifest, jobs: () => this.jobs });
  }

  get logGroup(): LogGroup {
    this.logs ??= createLogGroup(this.scope, this.scheduler);
    return this.logs;
  }

  get schedulerRole(): Role {
    this.role ??= createSchedulerRole(
      this.scope,
      this.scheduler,
      this.scheduler.coveringArns(this.scope, () => this.jobs.map(({ functionName }) => functionName)),
    );
    return this.role;
  }

  /** Called by a job when it is complete. The watchdog hears of it once its schedules are there. */
  register(job: DeclaredJob, schedules: readonly CfnSchedule[]): void {
    this.jobs.push(job);
    for (const schedule of schedules) this.manifest.addResourceDependency(schedule);
    this.scheduler.register(job);
  }
}

/** Where functions of jobs log to. */
function createLogGroup(scope: Construct, scheduler: JobScheduler): LogGroup {
  return new LogGroup(scope, 'Logs', {
    retention: scheduler.logRetention,
    removalPolicy: scheduler.removalPolicy,
    ...(scheduler.encryptionKey === undefined ? {} : { encryptionKey: scheduler.encryptionKey }),
  });
}

/** What EventBridge Scheduler assumes to invoke these functions. */
function createSchedulerRole(scope: Construct, scheduler: JobScheduler, functionArns: string[]): Role {
  const role = new Role(scope, 'SchedulerRole', {
    description: `EventBridge Scheduler invokes the jobs of ${scheduler.environment}`,
    assumedBy: schedulerPrincipal(scope, scheduler.scheduleGroupName),
    // Inline, so that no schedule can exist before its role may invoke: there is no policy resource to wait for.
    inlinePolicies: {
      InvokeJobs: new PolicyDocument({
        statements: [
          new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: functionArns }),
          new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [scheduler.deadLetters.queueArn] }),
          ...scheduler.keyStatements(),
        ],
      }),
    },
  });
  acknowledgeWildcards(role, [scheduler.functionArnOf(scope, functionNames(scheduler.prefix))], {
    reason:
      'more functions than a policy can list: the name prefix is the scheduler’s own, and EventBridge can use the role for its schedule group only',
  });
  return role;
}

/** The shards of a scheduler, and which job belongs where. */
export class JobShards {
  readonly count: number;
  private readonly shards: readonly JobShard[];

  /** @throws BelfryError `IllegalStackCount` */
  constructor(scheduler: JobScheduler, count: number) {
    this.count = count;
    if (!Number.isInteger(count) || count < 1 || count > MOST_STACKS) {
      throw new BelfryError(
        'IllegalStackCount',
        `stacks of ${scheduler.node.path} is ${count}, allowed are whole numbers from 1 to ${MOST_STACKS}: choose one of them`,
      );
    }
    this.shards = manifestPartNames(scheduler.prefix, count).map((name, index) => {
      const scope = count === 1 ? scheduler : new Construct(shardStack(scheduler, index), 'Jobs');
      return new JobShard(scope, scheduler, index, name);
    });
  }

  /** The scheduler's own, and those of the shards. */
  stacksWith(scheduler: JobScheduler): readonly Stack[] {
    return [...new Set([scheduler, ...this.shards.map(({ scope }) => scope)].map((scope) => Stack.of(scope)))];
  }

  get manifests(): readonly CfnSchedule[] {
    return this.shards.map(({ manifest }) => manifest);
  }

  /** By a hash of the name, so that no job moves when another comes or goes. */
  of(job: string): JobShard {
    const index = createHash('sha256').update(job).digest().readUInt32BE(0) % this.shards.length;
    const shard = this.shards[index];
    if (shard === undefined) throw new RangeError(`no shard ${index} of ${this.shards.length}`);
    return shard;
  }
}

/** A stack beside the scheduler's, so that `cdk deploy 'prod/*'` takes it too. */
function shardStack(scheduler: JobScheduler, index: number): Stack {
  const parent = Stack.of(scheduler);
  const suffix = String(index).padStart(2, '0');
  return new Stack(parent.node.scope ?? Stage.of(scheduler) ?? parent, `${parent.node.id}-${suffix}`, {
    env: { account: parent.account, region: parent.region },
    stackName: `${parent.stackName}-${suffix}`,
    ...(parent.terminationProtection === undefined ? {} : { terminationProtection: parent.terminationProtection }),
    description: `Jobs of ${scheduler.environment}, part ${index + 1}`,
  });
}
