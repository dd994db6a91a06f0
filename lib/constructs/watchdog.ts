import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type IGrantable,
  type IPrincipal,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct, Dependable, type IConstruct, type IDependable } from 'constructs';
import {
  functionNames,
  watchdogFunctionName,
  watchdogScheduleGroup,
  watchdogScheduleName,
} from '../domain/contract/names.ts';
import { acknowledgeWildcards } from './acknowledge-wildcards.ts';
import { type AlertTopics, topicsOf } from './alert-topics.ts';
import { StagedCode } from './bundle/staged-code.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { type MaintenanceWindow, quietWindow } from './maintenance.ts';
import { outermostStack } from './outermost-stack.ts';
import { schedulerPrincipal } from './scheduler-principal.ts';

export interface WatchdogProps {
  /** Whose jobs are watched. */
  readonly scheduler: JobScheduler;
  /**
   * How long its logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * Topics that messages about jobs are sent to, one for each severity.
   *
   * @default - the topics of the scheduler's alarms, or new ones inside this construct: subscribe to them
   */
  readonly topics?: AlertTopics;
  /**
   * Time from the first message about a job to a reminder, if the job is still not well. The next reminder follows after twice
   * the time, and so on.
   *
   * @default Duration.hours(24)
   */
  readonly remindEvery?: Duration;
  /**
   * Times at which no messages are sent, e.g. because you work on the system. Trouble that lasts is told after the window;
   * trouble that is over by then is not told.
   *
   * @default - they are always told
   */
  readonly maintenance?: readonly MaintenanceWindow[];
  /**
   * Concurrent invocations reserved for the watchdog. 1 is enough: other functions of the account then cannot throttle the
   * watchdog. AWS refuses a reservation that leaves fewer than 100 to the rest of the account, so a new account, which has ten
   * in all, cannot have one.
   *
   * @default - it shares the account's
   */
  readonly reservedConcurrency?: number;
}

/** The schedule of each scheduler's watchdog. */
const schedules = new WeakMap<JobScheduler, CfnSchedule>();

/** To depend on: the schedule of the scheduler's watchdog, whenever it is declared, if it is in the construct's own stack. */
export function watchdogScheduleBeside(scope: IConstruct, scheduler: JobScheduler): IDependable {
  const dependable: IDependable = {};
  Dependable.implement(dependable, {
    get dependencyRoots() {
      const schedule = schedules.get(scheduler);
      return schedule !== undefined && Stack.of(schedule) === Stack.of(scope) ? [schedule] : [];
    },
  });
  return dependable;
}

/**
 * A function that looks every minute for occurrences that did not happen and runs that died. It reads the list of jobs from
 * the manifest, which is deployed together with the jobs, so a new job does not change the watchdog.
 */
export class Watchdog extends Construct implements IGrantable {
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly grantPrincipal: IPrincipal;
  /** Topics that messages about jobs are sent to. */
  readonly topics: AlertTopics;

  constructor(scope: Construct, id: string, props: WatchdogProps) {
    super(scope, id);
    const { scheduler, maintenance = [] } = props;
    this.topics = topicsOf(scheduler, this, props.topics);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy: scheduler.removalPolicy,
      ...(scheduler.encryptionKey === undefined ? {} : { encryptionKey: scheduler.encryptionKey }),
    });
    this.role = new Role(this, 'Role', {
      description: `What the watchdog of ${scheduler.environment} may do`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        Watch: new PolicyDocument({
          statements: [
            ...scheduler.table.watchdogStatements(),
            ...scheduler.keyStatements(),
            new PolicyStatement({
              sid: 'Redeliver',
              actions: ['lambda:InvokeFunction'],
              resources: scheduler.functionArnsToCome(this),
            }),
            ...this.evidenceStatements(scheduler),
            ...this.topics.publishStatements(),
            new PolicyStatement({
              sid: 'OwnLogStreams',
              actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              resources: [logGroup.logGroupArn],
            }),
          ],
        }),
      },
    });
    acknowledgeWildcards(this.role, [scheduler.functionArnOf(this, functionNames(scheduler.prefix))], {
      reason: 'jobs that are deployed later are watched, too: the name prefix is the scheduler’s own',
    });
    acknowledgeWildcards(this.role, [schedulesOf(this, scheduler)], {
      reason: 'one schedule or more for each job, in a group that has no others; reading them only',
    });
    this.grantPrincipal = this.role;
    this.function = new LambdaFunction(this, 'Function', {
      functionName: watchdogFunctionName(scheduler.prefix),
      description: `Watches the jobs of ${scheduler.environment}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: new StagedCode({ entry: handlerFile(), isAlone: true }),
      role: this.role,
      timeout: Duration.minutes(1),
      // Its share of the processor comes with it: ten thousand jobs due in one minute are swept well within that minute.
      memorySize: 512,
      logGroup,
      // The next sweep takes up what this one left: neither an old event nor a second try is worth anything.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
      environment: {
        BELFRY_TABLE: scheduler.table.tableName,
        BELFRY_ENVIRONMENT: scheduler.environment,
        BELFRY_SCHEDULER: scheduler.prefix,
        BELFRY_JOBS_STACKS: scheduler.jobsStacks,
        BELFRY_WATCH_STACK: outermostStack(Stack.of(this)).node.path,
        BELFRY_STACKS: String(scheduler.stacks),
        BELFRY_DEAD_LETTERS: scheduler.deadLetters.queueUrl,
        BELFRY_TOPICS: arnsOf(this, this.topics),
        BELFRY_REMIND_MS: String((props.remindEvery ?? Duration.hours(24)).toMilliseconds()),
        ...(maintenance.length === 0 ? {} : { BELFRY_MAINTENANCE: JSON.stringify(maintenance.map(quietWindow)) }),
      },
    });
    this.createSchedule(scheduler);
  }

  /** Read-only rights: to know the jobs, and to find out why an occurrence was missed. */
  private evidenceStatements(scheduler: JobScheduler): PolicyStatement[] {
    return [
      new PolicyStatement({
        sid: 'SchedulesAsTheyAre',
        actions: ['scheduler:GetSchedule'],
        resources: [schedulesOf(this, scheduler)],
      }),
      new PolicyStatement({
        sid: 'FunctionsAsTheyAre',
        actions: ['lambda:GetFunctionConfiguration', 'lambda:GetFunctionConcurrency'],
        resources: scheduler.functionArnsToCome(this),
      }),
      new PolicyStatement({
        sid: 'UndeliveredEvents',
        actions: ['sqs:ReceiveMessage'],
        resources: [scheduler.deadLetters.queueArn],
      }),
    ];
  }

  private createSchedule(scheduler: JobScheduler): void {
    const groupName = watchdogScheduleGroup(scheduler.prefix);
    const group = new CfnScheduleGroup(this, 'Group', { name: groupName });
    group.applyRemovalPolicy(RemovalPolicy.DESTROY);
    const role = new Role(this, 'SchedulerRole', {
      description: 'EventBridge Scheduler invokes the watchdog',
      assumedBy: schedulerPrincipal(this, groupName),
      inlinePolicies: {
        InvokeWatchdog: new PolicyDocument({
          statements: [
            new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.function.functionArn] }),
          ],
        }),
      },
    });
    const schedule = new CfnSchedule(this, 'Schedule', {
      name: watchdogScheduleName(scheduler.prefix),
      groupName,
      scheduleExpression: 'cron(* * * * ? *)',
      scheduleExpressionTimezone: 'UTC',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: this.function.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify({ watchdog: true, scheduledTime: '<aws.scheduler.scheduled-time>' }),
        // The next sweep takes up what this one left: an old event is worth nothing.
        retryPolicy: { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 2 },
      },
    });
    schedule.addResourceDependency(group);
    schedules.set(scheduler, schedule);
    // Without a part of the manifest there is no sweep, and its silence would page while everything is being deployed.
    const isApart = outermostStack(Stack.of(this)) !== outermostStack(Stack.of(scheduler));
    // Stacks of jobs deploy after the scheduler's, so in that the watchdog cannot wait for them.
    if (isApart || scheduler.stacks === 1) {
      for (const manifest of scheduler.manifestSchedules) schedule.addResourceDependency(manifest);
    }
  }
}

function arnsOf(scope: Construct, { page, ticket, warn }: AlertTopics): string {
  return Stack.of(scope).toJsonString({ page: page.topicArn, ticket: ticket.topicArn, warn: warn.topicArn });
}

/** All schedules of the jobs' group, and no others. */
function schedulesOf(scope: Construct, scheduler: JobScheduler): string {
  return Stack.of(scope).formatArn({
    service: 'scheduler',
    resource: 'schedule',
    resourceName: `${scheduler.scheduleGroupName}/*`,
  });
}

/** The handler beside this module: in the sources as TypeScript, in the published package as JavaScript. */
function handlerFile(): string {
  const source = fileURLToPath(new URL('../../lambdas/watchdog/handler.ts', import.meta.url));
  return existsSync(source) ? source : source.replace(/\.ts$/, '.js');
}
