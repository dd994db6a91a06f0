import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, CfnEventSourceMapping, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { eventBusName, lifecycleFunctionName } from '../domain/contract/names.ts';
import { RUN_SORT_KEYS, SORT_KEY } from '../domain/contract/run-table-keys.ts';
import { acknowledgeWildcards } from './acknowledge-wildcards.ts';
import { StagedCode } from './bundle/staged-code.ts';
import type { JobScheduler } from './job-scheduler.ts';

export interface LifecycleEventsProps {
  /** Whose runs are told of: all changes from now on, and those that the table's stream still holds, up to a day. */
  readonly scheduler: JobScheduler;
  /**
   * Where the events go.
   *
   * @default - a new bus, named after the scheduler's functions
   */
  readonly bus?: IEventBus;
  /**
   * How long the logs of the function that tells are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
}

/** Those that AWS asks for in the role of a function that is fed by a stream. */
const STREAM_ACTIONS = [
  'dynamodb:DescribeStream',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
];

/**
 * An event on an EventBridge bus for each change of a run's state, for whoever wants to attach something. They are taken
 * from the table's stream, so that no run waits for them; each is told at least once, those of one run in order.
 */
export class LifecycleEvents extends Construct {
  readonly bus: EventBus | IEventBus;
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: LifecycleEventsProps) {
    super(scope, id);
    const { scheduler } = props;
    this.bus = props.bus ?? new EventBus(this, 'Bus', { eventBusName: eventBusName(scheduler.prefix) });
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy: scheduler.removalPolicy,
      ...(scheduler.encryptionKey === undefined ? {} : { encryptionKey: scheduler.encryptionKey }),
    });
    const streamsOfTable = `${scheduler.table.table.tableArn}/stream/*`;
    const role = new Role(this, 'Role', {
      description: `What tells of the runs of ${scheduler.environment}`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        Tell: new PolicyDocument({
          statements: [
            new PolicyStatement({
              sid: 'Stream',
              actions: STREAM_ACTIONS,
              resources: [streamsOfTable],
            }),
            new PolicyStatement({ sid: 'Bus', actions: ['events:PutEvents'], resources: [this.bus.eventBusArn] }),
            new PolicyStatement({
              sid: 'OwnLogStreams',
              actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              resources: [logGroup.logGroupArn],
            }),
            new PolicyStatement({
              sid: 'UndeliveredEvents',
              actions: ['sqs:SendMessage'],
              resources: [scheduler.deadLetters.queueArn],
            }),
            ...scheduler.keyStatements(),
          ],
        }),
      },
    });
    acknowledgeWildcards(role, [streamsOfTable], {
      reason: 'streams are listed by table: the statement covers those of this table and no other',
    });
    this.function = new LambdaFunction(this, 'Function', {
      functionName: lifecycleFunctionName(scheduler.prefix),
      description: `Tells of the runs of ${scheduler.environment}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: new StagedCode({ entry: handlerFile(), isAlone: true }),
      role,
      timeout: Duration.seconds(30),
      memorySize: 256,
      logGroup,
      environment: {
        BELFRY_ENVIRONMENT: scheduler.environment,
        BELFRY_SCHEDULER: scheduler.prefix,
        BELFRY_BUS: this.bus.eventBusName,
      },
    });
    this.listen(scheduler.table.streamArn, scheduler.deadLetters.queueArn);
  }

  private listen(eventSourceArn: string, deadLetterArn: string): void {
    new CfnEventSourceMapping(this, 'Changes', {
      functionName: this.function.functionArn,
      eventSourceArn,
      startingPosition: 'TRIM_HORIZON',
      batchSize: 100,
      maximumBatchingWindowInSeconds: 1,
      functionResponseTypes: ['ReportBatchItemFailures'],
      bisectBatchOnFunctionError: true,
      maximumRetryAttempts: 20,
      maximumRecordAgeInSeconds: 86_400,
      destinationConfig: { onFailure: { destination: deadLetterArn } },
      // Leases renewed, turns taken and the watchdog's place are nobody's business, and cost nothing when left out here.
      filterCriteria: {
        filters: [
          {
            pattern: JSON.stringify({
              dynamodb: {
                Keys: { [SORT_KEY]: { S: [{ prefix: RUN_SORT_KEYS }] } },
                NewImage: { status: { S: [{ exists: true }] } },
              },
            }),
          },
        ],
      },
    });
  }
}

/** The handler beside this module: in the sources as TypeScript, in the published package as JavaScript. */
function handlerFile(): string {
  const source = fileURLToPath(new URL('../../lambdas/lifecycle/handler.ts', import.meta.url));
  return existsSync(source) ? source : source.replace(/\.ts$/, '.js');
}
