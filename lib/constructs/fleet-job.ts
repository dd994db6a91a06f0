import type { IGrantable, IPrincipal } from 'aws-cdk-lib/aws-iam';
import type { JobDefinition } from '../domain/job.ts';
import type { AwsSchedule } from '../domain/translation/aws-schedule.ts';
import { JobBase } from './job-base.ts';
import { annotate, declareJob } from './job-declaration.ts';
import type { FormerName, WhenDue } from './job-definition.ts';
import type { JobFleet } from './job-fleet.ts';
import type { JobOptions, ResolvedJobOptions } from './job-options.ts';
import { createSchedules } from './job-schedules.ts';
import { existingFile } from './scheduled-job.ts';

export interface FleetJobProps
  extends Omit<JobOptions, 'memorySize' | 'environment' | 'sourceMaps'>,
    WhenDue,
    FormerName {
  /** File that exports `handler`, made by `defineJob`. Several jobs may have the same. */
  readonly entry: string;
}

/** A job that shares a function with others. Its name is the fleet's name, a hyphen, and its own. */
export class FleetJob extends JobBase implements IGrantable {
  readonly name: string;
  readonly fleet: JobFleet;
  readonly definition: JobDefinition;
  readonly options: ResolvedJobOptions;
  readonly awsSchedules: readonly AwsSchedule[];
  readonly functionName: string;
  /** What is granted to one job of a fleet is granted to all. */
  readonly grantPrincipal: IPrincipal;
  protected readonly prefix: string;
  protected readonly metrics: ResolvedJobOptions['metrics'];

  constructor(fleet: JobFleet, id: string, props: FleetJobProps) {
    const { scheduler } = fleet;
    const name = `${fleet.name}-${id}`;
    const shard = scheduler.shardOf(name);
    const functionName = fleet.functionNameIn(shard);
    const declaration = declareJob(scheduler, name, props, {
      functionName,
      defaults: fleet.defaults,
      decidedElsewhere: {
        options: ['memorySize', 'environment', 'sourceMaps'],
        why: `the jobs of fleet '${fleet.name}' share its function`,
      },
      fleet,
    });
    super(shard.scope, name);
    this.name = name;
    this.fleet = fleet;
    this.functionName = functionName;
    this.prefix = scheduler.prefix;
    this.definition = declaration.definition;
    this.options = declaration.options;
    this.metrics = declaration.options.metrics;
    this.awsSchedules = declaration.awsSchedules;
    this.grantPrincipal = fleet.grantPrincipal;
    const entry = existingFile(scheduler, name, props.entry, 'entry', 'MissingHandlerFile');
    const part = fleet.partIn(shard);
    const schedules = createSchedules(this, scheduler, declaration, {
      functionArn: part.function.functionArn,
      roleArn: shard.schedulerRole.roleArn,
    });
    annotate(this, declaration);
    part.register(this, entry);
    shard.register(this, schedules);
  }
}
