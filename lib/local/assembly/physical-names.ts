import { ACCOUNT, REGION } from './local-account.ts';

interface Naming {
  /** The property that holds the name, when the template gives one. */
  readonly property?: string;
  readonly maxLength?: number;
  /** The property that holds what the resource is in. */
  readonly within?: string;
  readonly arn?: (name: string, within: string | undefined) => string;
  /** What `Ref` gives when it is not the name. */
  readonly ref?: 'arn' | ((name: string) => string);
  readonly attributes?: { readonly [attribute: string]: (name: string) => string };
}

const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
const tableArn = (name: string) => arn('dynamodb', `table/${name}`);
const table: Naming = {
  property: 'TableName',
  arn: tableArn,
  attributes: { TableId: (name) => name, StreamArn: (name) => `${tableArn(name)}/stream/local` },
};

const NAMING: { readonly [type: string]: Naming } = {
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::Lambda::Function': {
    property: 'FunctionName',
    maxLength: 64,
    arn: (name) => arn('lambda', `function:${name}`),
  },
  'AWS::IAM::Role': {
    property: 'RoleName',
    maxLength: 64,
    within: 'Path',
    arn: (name, path = '/') => `arn:aws:iam::${ACCOUNT}:role${path}${name}`,
    attributes: { RoleId: (name) => name },
  },
  'AWS::Logs::LogGroup': { property: 'LogGroupName', arn: (name) => `${arn('logs', `log-group:${name}`)}:*` },
  'AWS::SQS::Queue': {
    property: 'QueueName',
    maxLength: 80,
    arn: (name) => arn('sqs', name),
    ref: (name) => `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`,
    attributes: {
      QueueName: (name) => name,
      QueueUrl: (name) => `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`,
    },
  },
  'AWS::SNS::Topic': {
    property: 'TopicName',
    arn: (name) => arn('sns', name),
    ref: 'arn',
    attributes: { TopicName: (name) => name, TopicArn: (name) => arn('sns', name) },
  },
  'AWS::Scheduler::ScheduleGroup': {
    property: 'Name',
    maxLength: 64,
    arn: (name) => arn('scheduler', `schedule-group/${name}`),
  },
  'AWS::Scheduler::Schedule': {
    property: 'Name',
    maxLength: 64,
    within: 'GroupName',
    arn: (name, group = 'default') => arn('scheduler', `schedule/${group}/${name}`),
  },
  'AWS::CloudWatch::Alarm': { property: 'AlarmName', arn: (name) => arn('cloudwatch', `alarm:${name}`) },
  'AWS::CloudWatch::CompositeAlarm': { property: 'AlarmName', arn: (name) => arn('cloudwatch', `alarm:${name}`) },
  'AWS::Events::EventBus': { property: 'Name', arn: (name) => arn('events', `event-bus/${name}`) },
  'AWS::KMS::Key': { arn: (name) => arn('kms', `key/${name}`), attributes: { KeyId: (name) => name } },
  'AWS::S3::Bucket': { property: 'BucketName', arn: (name) => `arn:aws:s3:::${name}` },
  'AWS::Lambda::Alias': { ref: 'arn', arn: (name) => arn('lambda', `function:${name}`) },
};

/** The name the resource has or would get. */
export function physicalName(
  type: string,
  stackName: string,
  logicalId: string,
  read: (property: string) => string | undefined,
): string {
  const naming = NAMING[type];
  const given = naming?.property === undefined ? undefined : read(naming.property);
  if (given !== undefined) return given;
  const name = `${stackName}-${logicalId}`;
  // The logical id's end is its hash: it keeps long names apart.
  return naming?.maxLength !== undefined && name.length > naming.maxLength
    ? `${stackName.slice(0, 20)}-${name.slice(21 - naming.maxLength)}`
    : name;
}

export function referenceOf(type: string, name: string): string {
  const ref = NAMING[type]?.ref;
  if (ref === 'arn') return NAMING[type]?.arn?.(name, undefined) ?? name;
  return ref?.(name) ?? name;
}

/**
 * Undefined when it is not known what CloudFormation would return.
 *
 * @param read a property of the resource, resolved
 */
export function attributeOf(
  type: string,
  attribute: string,
  name: string,
  read: (property: string) => string | undefined,
): string | undefined {
  const naming = NAMING[type];
  if (attribute !== 'Arn') return naming?.attributes?.[attribute]?.(name);
  return naming?.arn?.(name, naming.within === undefined ? undefined : read(naming.within));
}
