import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { IGrantable, IPrincipal, IRole } from 'aws-cdk-lib/aws-iam';
import type { AssetImageCode, EcrImageCode, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Token } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { functionName, imageFunctionName } from '../domain/contract/names.ts';
import { BelfryError } from '../domain/errors.ts';
import type { JobDefinition } from '../domain/job.ts';
import type { AwsSchedule } from '../domain/translation/aws-schedule.ts';
import { adoptedName, adoptFunction, decidedByFunction, timeoutOf } from './adopted-function.ts';
import { StagedCode } from './bundle/staged-code.ts';
import { ImportedJob, type IScheduledJob, JobBase, type ScheduledJobAttributes } from './job-base.ts';
import { annotate, declareJob, type JobDeclaration } from './job-declaration.ts';
import type { FormerName, WhenDue } from './job-definition.ts';
import { createJobFunction, createJobRole, type JobPlacement } from './job-function.ts';
import type { JobOptions, ResolvedJobOptions } from './job-options.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { createSchedules } from './job-schedules.ts';
import type { JobShard } from './job-shard.ts';
import { assertEffective } from './rules/effective-options.ts';

export interface ScheduledJobProps extends JobOptions, WhenDue, FormerName, JobPlacement {
  /**
   * File that exports `handler`, made by `defineJob`. Relative to the scheduler's root. A job has this, an `image` or a
   * `function`.
   *
   * @default - the job has an image or a function
   */
  readonly entry?: string;
  /**
   * Files to put beside the bundled handler, which finds them as `new URL('./name', import.meta.url)`. One that is not named
   * here is not there on Lambda; each one makes cold starts slower by its size.
   *
   * @default - none
   */
  readonly files?: readonly string[];
  /**
   * Container image whose handler is made by `defineJob`: `Code.fromAssetImage()` or `Code.fromEcrImage()`. Its function's
   * name ends in `_image`: Lambda cannot turn code into an image, so a job that goes over to one gets another function.
   *
   * @default - the job has an entry or a function
   */
  readonly image?: AssetImageCode | EcrImageCode;
  /**
   * A function whose handler is made by `defineJob`, and that runs no other job. It needs a literal `functionName`, and
   * keeps its own timeout, memory, role and log group; what the job needs is added. One that another app declares is
   * imported with its role (`Function.fromFunctionAttributes()`); its `timeout` is said here, and the job's `variables`
   * there: without them every run fails.
   *
   * @default - the job has an entry or an image
   */
  readonly function?: IFunction;
  /**
   * What the job is for, shown in the console.
   *
   * @default - the schedule
   */
  readonly description?: string;
}

const LONGEST_DESCRIPTION = 256;

/**
 * A job: its function, the role that function has, and the schedules that fire it. Whoever grants something to the job
 * grants it to its function.
 */
export class ScheduledJob extends JobBase implements IGrantable {
  /** A job that another app or stack declares: its metrics, and the right to trigger it. */
  static fromScheduledJobAttributes(scope: Construct, id: string, attributes: ScheduledJobAttributes): IScheduledJob {
    return new ImportedJob(scope, id, attributes);
  }

  readonly scheduler: JobScheduler;
  readonly name: string;
  readonly definition: JobDefinition;
  readonly options: ResolvedJobOptions;
  readonly awsSchedules: readonly AwsSchedule[];
  readonly functionName: string;
  readonly function: IFunction;
  /** Environment variables that tell the function about its job. */
  readonly variables: Readonly<Record<string, string>>;
  readonly role: IRole;
  readonly grantPrincipal: IPrincipal;
  protected readonly prefix: string;
  protected readonly metrics: ResolvedJobOptions['metrics'];

  constructor(scheduler: JobScheduler, name: string, props: ScheduledJobProps) {
    assertOneCode(name, props);
    const ownName =
      props.function === undefined ? nameOfFunction(scheduler, name, props) : adoptedName(name, props.function, props);
    const declaration = declareJob(scheduler, name, timed(props), {
      functionName: ownName,
      ...(props.function === undefined ? {} : { decidedElsewhere: decidedByFunction(props.function, ownName) }),
    });
    const shard = scheduler.shardOf(name);
    super(shard.scope, name);
    this.scheduler = scheduler;
    this.name = name;
    this.functionName = ownName;
    this.prefix = scheduler.prefix;
    this.options = declaration.options;
    this.metrics = declaration.options.metrics;
    this.definition = declaration.definition;
    this.awsSchedules = declaration.awsSchedules;
    this.variables = {
      BELFRY_TABLE: scheduler.table.tableName,
      BELFRY_ENVIRONMENT: scheduler.environment,
      BELFRY_SCHEDULER: scheduler.prefix,
      BELFRY_JOB: JSON.stringify(declaration.definition),
    };

    const own =
      props.function === undefined ? this.createFunction(declaration, shard, props) : this.adopt(props.function);
    this.function = own.function;
    this.role = own.role;
    this.grantPrincipal = own.role;
    const schedules = createSchedules(this, scheduler, declaration, {
      functionArn: own.functionArn,
      roleArn: shard.schedulerRole.roleArn,
    });
    // Named, not referred to, so CloudFormation does not see that it comes first.
    if (props.function !== undefined) for (const schedule of schedules) schedule.node.addDependency(props.function);
    annotate(this, declaration);
    shard.register(this, schedules);
  }

  private createFunction(declaration: JobDeclaration, shard: JobShard, props: ScheduledJobProps) {
    const { scheduler, name, definition, options } = this;
    const { logGroup } = shard;
    const role = createJobRole(this, {
      scheduler,
      name: functionName(scheduler.prefix, name),
      functions: this.functionName,
      placement: props,
      logGroup,
      tableStatements: [scheduler.table.jobStatement([name])],
      jobs: name,
    });
    const created = createJobFunction(this, {
      scheduler,
      functionName: this.functionName,
      description: props.description ?? describe(definition),
      code: props.image ?? this.bundle(declaration.name, props),
      isImage: props.image !== undefined,
      options,
      placement: props,
      logGroup,
      role,
      variables: { BELFRY_JOB: JSON.stringify(definition) },
    });
    return { function: created, role: role.role, functionArn: created.functionArn };
  }

  private bundle(name: string, { entry = '', files = [] }: ScheduledJobProps): StagedCode {
    return new StagedCode({
      entry: existingFile(this.scheduler, name, entry, 'entry', 'MissingHandlerFile'),
      root: this.scheduler.root,
      sourceMaps: this.options.sourceMaps,
      files: files.map((file) => existingFile(this.scheduler, name, file, 'files', 'MissingFile')),
    });
  }

  private adopt(adopted: IFunction) {
    const { scheduler, name, options } = this;
    const role = adoptFunction(this, name, adopted, {
      variables: { ...options.environment, ...this.variables },
      statements: [scheduler.table.jobStatement([name]), ...scheduler.keyStatements()],
    });
    const { functionArn } = adopted;
    // By name: what is imported from another stack could not stop being imported.
    const isDeclared = Token.isUnresolved(functionArn);
    return {
      function: adopted,
      role,
      functionArn: isDeclared ? scheduler.functionArnOf(this, this.functionName) : functionArn,
    };
  }
}

function nameOfFunction({ prefix }: JobScheduler, job: string, { image }: ScheduledJobProps): string {
  return image === undefined ? functionName(prefix, job) : imageFunctionName(prefix, job);
}

/** The schedule, as far as Lambda has room for it. */
function describe({ schedule, timeZone }: JobDefinition): string {
  const text = `${[schedule].flat().join(', ')} ${timeZone}`;
  return text.length > LONGEST_DESCRIPTION ? `${text.slice(0, LONGEST_DESCRIPTION - 1)}…` : text;
}

/** @throws BelfryError `MissingHandlerFile` or `MissingFile` */
export function existingFile(
  scheduler: JobScheduler,
  job: string,
  path: string,
  property: string,
  code: string,
): string {
  const absolute = isAbsolute(path) ? path : join(scheduler.root, path);
  if (!existsSync(absolute)) {
    throw new BelfryError(
      code,
      `job '${job}': ${property} '${path}' does not exist (looked for ${absolute}): correct the path, or the scheduler's root`,
    );
  }
  if (property === 'entry' && !statSync(absolute).isFile()) {
    throw new BelfryError(code, `job '${job}': entry '${path}' is a folder (${absolute}): name the file in it`);
  }
  return absolute;
}

function assertOneCode(name: string, props: ScheduledJobProps): void {
  const given = (['entry', 'image', 'function'] as const).filter((property) => props[property] !== undefined);
  if (given.length !== 1) {
    const got = given.length === 0 ? 'none of them' : given.join(' and ');
    throw new BelfryError(
      'NotOneHandler',
      `job '${name}': it must have one of entry, image and function, and has ${got}: keep the one that holds its handler`,
    );
  }
  if (props.image !== undefined)
    assertEffective(name, props, ['files', 'layers', 'sourceMaps'], 'an image holds all of its files');
}

/** A function that exists keeps its own timeout, so the job has the same. */
function timed(props: ScheduledJobProps): ScheduledJobProps {
  const timeout = props.function === undefined ? undefined : timeoutOf(props.function);
  return timeout === undefined ? props : { ...props, timeout };
}
