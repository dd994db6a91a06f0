import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { fleetFunctionName, functionName } from '../domain/contract/names.ts';
import { assertJobName } from '../domain/job.ts';
import { FleetPart } from './fleet-part.ts';
import { FleetPrincipal } from './fleet-principal.ts';
import type { JobPlacement } from './job-function.ts';
import { type JobOptions, type ResolvedJobOptions, resolveJobOptions } from './job-options.ts';
import type { JobScheduler } from './job-scheduler.ts';
import type { JobShard } from './job-shard.ts';
import { existingFile } from './scheduled-job.ts';

export interface JobFleetProps extends JobOptions, JobPlacement {
  /**
   * Files to put beside the bundled handlers, which find them as `new URL('./name', import.meta.url)`. Relative to the
   * scheduler's root.
   *
   * @default - none
   */
  readonly files?: readonly string[];
}

/**
 * Many jobs in one function: one more resource for each, instead of three. They share its memory, environment and role,
 * so what one may touch, all may; their names begin with the fleet's, and that is what the role is confined to.
 * A scheduler of several stacks has the function and its role in each, with the jobs that belong there: another job changes
 * one stack, and no stack waits for another.
 * The options are the defaults of the fleet's jobs; the timeout is also the longest that any of them may have.
 */
export class JobFleet extends Construct implements IGrantable {
  readonly scheduler: JobScheduler;
  /** First part of the jobs' names. */
  readonly name: string;
  /** The roles of all its functions. */
  readonly grantPrincipal: FleetPrincipal;
  /** The longest that any of the jobs may take. */
  readonly timeoutMs: number;
  /** Options of the jobs that do not say otherwise. */
  readonly defaults: JobOptions;

  private readonly parts = new Map<JobShard, FleetPart>();
  private readonly options: ResolvedJobOptions;
  private readonly placement: JobPlacement;
  private readonly files: readonly string[];

  constructor(scheduler: JobScheduler, name: string, props: JobFleetProps = {}) {
    assertJobName(name);
    super(scheduler, name);
    scheduler.registerFleet(name);
    this.scheduler = scheduler;
    this.grantPrincipal = new FleetPrincipal(Stack.of(this).account);
    this.name = name;
    this.defaults = { ...props, metrics: props.metrics ?? scheduler.defaults.metrics ?? 'scheduler' };
    this.placement = props;
    this.options = resolveJobOptions(scheduler.defaults, props);
    this.timeoutMs = this.options.timeout.toMilliseconds();
    this.files = (props.files ?? []).map((file) => existingFile(scheduler, name, file, 'files', 'MissingFile'));
  }

  /** One for each stack that has jobs of the fleet. */
  get functions(): readonly LambdaFunction[] {
    return [...this.parts.values()].map((part) => part.function);
  }

  /** What the function is called that runs the jobs of a stack. */
  functionNameIn(shard: JobShard): string {
    const { prefix, stacks } = this.scheduler;
    return stacks === 1 ? functionName(prefix, this.name) : fleetFunctionName(prefix, this.name, shard.index);
  }

  /** Called by a job of the fleet: where its handler goes to. */
  partIn(shard: JobShard): FleetPart {
    const known = this.parts.get(shard);
    if (known !== undefined) return known;
    // In the scheduler's own stack the fleet itself is what holds the function.
    const scope = shard.scope === this.scheduler ? this : new Construct(shard.scope, this.name);
    const part = new FleetPart(scope, this.scheduler, {
      fleet: this.name,
      functionName: this.functionNameIn(shard),
      options: this.options,
      placement: this.placement,
      files: this.files,
      shard,
    });
    this.parts.set(shard, part);
    this.grantPrincipal.add(part.role);
    return part;
  }
}
