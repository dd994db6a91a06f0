import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import {
  type Grant,
  type IGrantable,
  type IPrincipal,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Architecture, CfnFunction, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Annotations, ArnFormat, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { BelfryError } from '../domain/errors.ts';
import { assertJobName, type JobDefinition } from '../domain/job.ts';
import { parseSchedule } from '../domain/schedule/parse-schedule.ts';
import { formatInstant } from '../domain/time/instant.ts';
import type { AwsSchedule } from '../domain/translation/aws-schedule.ts';
import { firstStartFrom } from '../domain/translation/supplements.ts';
import { translateSchedule } from '../domain/translation/translate-schedule.ts';
import { StagedCode } from './bundle/staged-code.ts';
import { defineJobOf, type WhenDue } from './job-definition.ts';
import { type JobOptions, type ResolvedJobOptions, resolveJobOptions } from './job-options.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { adviseJob, assertJobRules } from './rules/job-rules.ts';

export interface ScheduledJobProps extends JobOptions, WhenDue {
  /** File that exports `handler`, made by `defineJob`. Relative to the scheduler's root. */
  readonly entry: string;
  /**
   * Files to put beside the bundled handler, which finds them as `new URL('./name', import.meta.url)`.
   *
   * @default - none
   */
  readonly files?: readonly string[];
  /**
   * What the job is for, shown in the console.
   *
   * @default - the schedule
   */
  readonly description?: string;
}

/** Deployments take their time, and EventBridge refuses a StartDate that is more than five minutes old by then. */
const START_AFTER_SYNTH_MS = 15 * 60 * 1000;
/** How long EventBridge Scheduler tries to hand an event to Lambda. By then the watchdog has recorded it as missed. */
const LONGEST_DELIVERY_SECONDS = 3600;
const MOST_DELIVERY_RETRIES = 185;

/**
 * A job: its function, the role that function has, and the schedules that fire it. Whoever grants something to the job
 * grants it to its function.
 */
export class ScheduledJob extends Construct implements IGrantable {
  readonly scheduler: JobScheduler;
  readonly name: string;
  readonly definition: JobDefinition;
  readonly options: ResolvedJobOptions;
  readonly functionName: string;
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly grantPrincipal: IPrincipal;

  constructor(scheduler: JobScheduler, name: string, props: ScheduledJobProps) {
    assertJobName(name);
    const override = scheduler.overrideOf(name);
    super(scheduler, name);
    this.scheduler = scheduler;
    this.name = name;
    this.functionName = `${scheduler.functionNamePrefix}-${name}`;
    this.options = resolveJobOptions(scheduler.defaults, props, override);
    this.definition = defineJobOf(name, { ...pickWhenDue(props), ...pickWhenDue(override) }, this.options);

    const awsSchedules = this.checkSchedule();
    const entry = this.existingFile(props.entry, 'entry', 'MissingHandlerFile');
    const files = (props.files ?? []).map((file) => this.existingFile(file, 'files', 'MissingFile'));

    this.role = this.createRole();
    this.grantPrincipal = this.role;
    this.function = this.createFunction(new StagedCode({ entry, files }), props.description);
    for (const [index, schedule] of awsSchedules.entries()) this.createSchedule(schedule, index);
    scheduler.register(this);
  }

  /** Lets somebody invoke this job, as `belfry trigger` does. */
  grantTrigger(grantee: IGrantable): Grant {
    return this.function.grantInvoke(grantee);
  }

  private checkSchedule(): AwsSchedule[] {
    const { schedule: expression, timeZone, dst } = this.definition;
    const { name, definition, options, functionName, scheduler } = this;
    const [schedule, awsSchedules] = named(name, () => {
      const parsed = parseSchedule(expression, { timeZone, dst });
      const from = scheduler.now + START_AFTER_SYNTH_MS;
      return [parsed, translateSchedule(parsed).map((one) => firstStartFrom(one, from))] as const;
    });
    const declared = { name, definition, options, functionName, schedule, awsSchedules, now: scheduler.now };
    assertJobRules(declared);
    for (const { rule, message } of adviseJob(declared)) {
      if (rule.severity === 'warning') Annotations.of(this).addWarningV2(`belfry:${rule.code}`, message);
      else Annotations.of(this).addInfoV2(`belfry:${rule.code}`, message);
    }
    return awsSchedules;
  }

  private existingFile(path: string, property: string, code: string): string {
    const absolute = isAbsolute(path) ? path : join(this.scheduler.root, path);
    if (!existsSync(absolute)) {
      throw new BelfryError(
        code,
        `job '${this.name}': ${property} '${path}' does not exist (looked for ${absolute}): correct the path, or the scheduler's root`,
      );
    }
    return absolute;
  }

  private createRole(): Role {
    const { table, logGroup, deadLetters } = this.scheduler;
    return new Role(this, 'Role', {
      description: `What job ${this.name} may do`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        Job: new PolicyDocument({
          statements: [
            table.jobStatement([this.name]),
            new PolicyStatement({
              sid: 'OwnLogStreams',
              actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              // In a shared group Lambda names streams date/function[version]id.
              resources: [
                Stack.of(this).formatArn({
                  service: 'logs',
                  resource: 'log-group',
                  resourceName: `${logGroup.logGroupName}:log-stream:*/${this.functionName}[*`,
                  arnFormat: ArnFormat.COLON_RESOURCE_NAME,
                }),
              ],
            }),
            new PolicyStatement({
              sid: 'UndeliveredEvents',
              actions: ['sqs:SendMessage'],
              resources: [deadLetters.queueArn],
            }),
          ],
        }),
      },
    });
  }

  private createFunction(code: StagedCode, description: string | undefined): LambdaFunction {
    const { scheduler, options } = this;
    const created = new LambdaFunction(this, 'Function', {
      functionName: this.functionName,
      description: description ?? `${[this.definition.schedule].flat().join(', ')} ${this.definition.timeZone}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code,
      role: this.role,
      timeout: options.timeout,
      memorySize: options.memorySize,
      logGroup: scheduler.logGroup,
      environment: {
        ...options.environment,
        BELFRY_TABLE: scheduler.table.tableName,
        BELFRY_ENVIRONMENT: scheduler.environment,
        BELFRY_JOB: JSON.stringify(this.definition),
      },
    });
    // Set on the resource: the construct's own property would add a policy resource to every job.
    const resource = created.node.defaultChild;
    if (resource instanceof CfnFunction) {
      resource.deadLetterConfig = { targetArn: scheduler.deadLetters.queueArn };
    }
    return created;
  }

  private createSchedule({ expression, timeZone, startAt }: AwsSchedule, index: number): void {
    const { scheduler, definition } = this;
    const schedule = new CfnSchedule(this, index === 0 ? 'Schedule' : `Schedule${index + 1}`, {
      // A dot cannot occur in a job's name, so no job's second schedule takes another job's name.
      name: index === 0 ? this.name : `${this.name}.${index + 1}`,
      groupName: scheduler.scheduleGroupName,
      scheduleExpression: expression,
      scheduleExpressionTimezone: timeZone,
      ...(startAt === undefined ? {} : { startDate: formatInstant(startAt) }),
      state: this.options.enabled ? 'ENABLED' : 'DISABLED',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: this.function.functionArn,
        roleArn: scheduler.schedulerRole.roleArn,
        input: JSON.stringify({
          job: this.name,
          scheduledTime: '<aws.scheduler.scheduled-time>',
          revision: definition.revision,
        }),
        retryPolicy: {
          maximumEventAgeInSeconds: LONGEST_DELIVERY_SECONDS,
          maximumRetryAttempts: MOST_DELIVERY_RETRIES,
        },
        deadLetterConfig: { arn: scheduler.deadLetters.queueArn },
      },
    });
    // The group is named, not referred to, so CloudFormation does not see that it must come first.
    schedule.addResourceDependency(scheduler.scheduleGroup);
  }
}

function pickWhenDue({ schedule, timeZone }: Partial<WhenDue>): WhenDue {
  return {
    ...(schedule === undefined ? {} : { schedule }),
    ...(timeZone === undefined ? {} : { timeZone }),
  } as WhenDue;
}

/** Puts the job's name in front of what the schedule language has to say. */
function named<T>(job: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BelfryError) {
      throw new BelfryError(error.code, `job '${job}': ${error.message}`, { cause: error });
    }
    throw error;
  }
}
