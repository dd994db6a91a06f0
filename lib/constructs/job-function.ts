import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { CompositePrincipal, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnFunction,
  type Code,
  Handler,
  type ILayerVersion,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { acknowledgeWildcards } from './acknowledge-wildcards.ts';
import { isForThisMachine } from './bundle/build.ts';
import type { ResolvedJobOptions } from './job-options.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { planWakeUps, rolePathOf } from './wake-ups.ts';

/** Where a job's function runs, beyond what all jobs have. */
export interface JobPlacement {
  /**
   * Network that the function is attached to. It then needs a way to DynamoDB: an endpoint or a NAT gateway, or every run
   * times out before it begins; one to EventBridge Scheduler, too, where the scheduler says `wakeUps: true`. Without, it
   * reaches nothing that is in the network only.
   *
   * @default - none
   */
  readonly vpc?: IVpc;
  /**
   * Where in the network. Public subnets give a function no way out; isolated ones need endpoints for all that it calls.
   *
   * @default - the network's own choice: private ones with a way out
   */
  readonly vpcSubnets?: SubnetSelection;
  /**
   * What it may talk to. Narrow, and it does not reach DynamoDB; wide, and neither does anything else hold it back.
   *
   * @default - one of the function's own, which lets all traffic out and none in
   */
  readonly securityGroups?: readonly ISecurityGroup[];
  /**
   * Layers beside the code, up to five and 250 MB unpacked together with it. Each makes cold starts slower; not for images.
   *
   * @default - none
   */
  readonly layers?: readonly ILayerVersion[];
  /**
   * Processor. Native modules, layers and images must be built for it, or the function does not start. x86 costs a fifth
   * more for the same time.
   *
   * @default Architecture.ARM_64
   */
  readonly architecture?: Architecture;
}

export interface JobFunctionProps {
  readonly scheduler: JobScheduler;
  readonly functionName: string;
  readonly description: string;
  readonly code: Code;
  /** Whether the code is a container image. */
  readonly isImage: boolean;
  readonly options: ResolvedJobOptions;
  readonly placement: JobPlacement;
  readonly logGroup: ILogGroup;
  readonly role: JobRole;
  /** What it is told about its jobs. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface JobRoleProps {
  readonly scheduler: JobScheduler;
  /** What its functions and its path are called after. */
  readonly name: string;
  /** Names of the functions that have it, as a pattern. */
  readonly functions: string;
  readonly placement: JobPlacement;
  readonly logGroup: ILogGroup;
  /** What it may do with the run table. */
  readonly tableStatements: readonly PolicyStatement[];
  /** Names of its jobs, as a pattern. */
  readonly jobs: string;
}

export interface JobRole {
  readonly role: Role;
  /** What the runtime is told of it. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What VPC functions do with network interfaces; EC2 has no narrower resource for most of it. */
const NETWORK_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

const SOURCE_MAPS_FLAG = '--enable-source-maps';

/** A function for jobs. */
export function createJobFunction(scope: Construct, props: JobFunctionProps): LambdaFunction {
  const { scheduler, options, placement } = props;
  const created = new LambdaFunction(scope, 'Function', {
    functionName: props.functionName,
    description: props.description,
    runtime: props.isImage ? Runtime.FROM_IMAGE : Runtime.NODEJS_24_X,
    handler: props.isImage ? Handler.FROM_IMAGE : 'index.handler',
    code: props.code,
    architecture: placement.architecture ?? Architecture.ARM_64,
    role: props.role.role,
    timeout: options.timeout,
    memorySize: options.memorySize,
    logGroup: props.logGroup,
    ...(scheduler.encryptionKey === undefined ? {} : { environmentEncryption: scheduler.encryptionKey }),
    ...(placement.vpc === undefined ? {} : { vpc: placement.vpc }),
    ...(placement.vpcSubnets === undefined ? {} : { vpcSubnets: placement.vpcSubnets }),
    ...(placement.securityGroups === undefined ? {} : { securityGroups: [...placement.securityGroups] }),
    ...(placement.layers === undefined ? {} : { layers: [...placement.layers] }),
    environment: {
      ...options.environment,
      ...(options.sourceMaps && !props.isImage ? nodeOptions(options.environment) : {}),
      BELFRY_TABLE: scheduler.table.tableName,
      BELFRY_ENVIRONMENT: scheduler.environment,
      BELFRY_SCHEDULER: scheduler.prefix,
      ...props.variables,
      ...props.role.variables,
    },
  });
  // Set on the resource: the construct's own property would add a policy resource to every job.
  const resource = created.node.defaultChild;
  if (resource instanceof CfnFunction) {
    resource.deadLetterConfig = { targetArn: scheduler.deadLetters.queueArn };
  }
  return created;
}

/** Beside what the job itself tells Node. */
function nodeOptions({ NODE_OPTIONS: own = '' }: Readonly<Record<string, string>>): Record<string, string> {
  // A run on this machine translates stacks by itself.
  if (isForThisMachine()) return {};
  const isSaid = own.split(/\s+/).includes(SOURCE_MAPS_FLAG);
  return { NODE_OPTIONS: isSaid ? own : `${own} ${SOURCE_MAPS_FLAG}`.trim() };
}

/** A role for functions of jobs: it reaches their own records and log streams and nothing else. */
export function createJobRole(scope: Construct, props: JobRoleProps): JobRole {
  const { scheduler, name, functions, placement, logGroup } = props;
  const hasWakeUps = scheduler.wakeUps ?? placement.vpc === undefined;
  const wakeUps = hasWakeUps ? planWakeUps(scope, scheduler, { name, functions, jobs: props.jobs }) : undefined;
  const logStreams = Stack.of(scope).formatArn({
    service: 'logs',
    resource: 'log-group',
    // In a shared group Lambda names streams date/function[version]id.
    resourceName: `${logGroup.logGroupName}:log-stream:*/${functions}[*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const statements = [
    ...props.tableStatements,
    new PolicyStatement({
      sid: 'OwnLogStreams',
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logStreams],
    }),
    new PolicyStatement({
      sid: 'UndeliveredEvents',
      actions: ['sqs:SendMessage'],
      resources: [scheduler.deadLetters.queueArn],
    }),
    ...scheduler.keyStatements(),
    ...(wakeUps?.statements ?? []),
  ];
  if (placement.vpc !== undefined) {
    statements.push(new PolicyStatement({ sid: 'OwnNetworkInterfaces', actions: NETWORK_ACTIONS, resources: ['*'] }));
  }
  const lambda = new ServicePrincipal('lambda.amazonaws.com');
  const role = new Role(scope, 'Role', {
    description: `What ${name} may do`,
    assumedBy: wakeUps === undefined ? lambda : new CompositePrincipal(lambda, wakeUps.principal),
    path: rolePathOf(scope, name),
    inlinePolicies: { Job: new PolicyDocument({ statements }) },
  });
  acknowledgeWildcards(role, [logStreams], {
    reason: 'the streams of this function in the shared log group; their names begin with a date and end with an id',
  });
  wakeUps?.acknowledge(role);
  if (placement.vpc !== undefined) {
    acknowledgeWildcards(role, ['*'], { reason: 'network interfaces have no name beforehand; Lambda manages them' });
  }
  return { role, variables: wakeUps?.variables(role) ?? {} };
}
