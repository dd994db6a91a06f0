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

export interface FleetJobProps extends Omit<JobOptions, 'memorySize' | 'environment'>, WhenDue, FormerName {
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
  protected readonly environmentName: string;

  constructor(fleet: JobFleet, id: string, props: FleetJobProps) {
    const { scheduler, functionName } = fleet;
    const name = `${fleet.name}-${id}`;
    const declaration = declareJob(scheduler, name, props, {
      functionName,
      defaults: fleet.defaults,
      decidedElsewhere: {
        options: ['memorySize', 'environment'],
        why: `the jobs of fleet '${fleet.name}' share its function`,
      },
      fleet,
    });
    super(scheduler.shardOf(name).scope, name);
    this.name = name;
    this.fleet = fleet;
    this.functionName = functionName;
    this.environmentName = scheduler.environment;
    this.definition = declaration.definition;
    this.options = declaration.options;
    this.awsSchedules = declaration.awsSchedules;
    this.grantPrincipal = fleet.grantPrincipal;
    createSchedules(this, scheduler, declaration, {
      functionArn: scheduler.functionArnOf(this, functionName),
      roleArn: fleet.schedulerRole.roleArn,
    }).forEach((schedule) => {
      // Named, not referred to: a stack that only holds schedules needs nothing exported but the role.
      schedule.node.addDependency(fleet.function);
    });
    annotate(this, declaration);
    fleet.register(this, existingFile(scheduler, name, props.entry, 'entry', 'MissingHandlerFile'));
    scheduler.register(this);
  }
}
