/** What CloudFormation knows of a type of resource, in properties that a template can set. */
export interface ResourceSchema {
  /** Together they are what the resource is known by, and what no second one may have. Left out, CloudFormation makes a name up. */
  readonly identity?: readonly string[];
  /** Another value, and the resource is made anew. */
  readonly createOnly?: readonly string[];
  /** The same for some changes, of which the schemas do not say which. */
  readonly conditionallyCreateOnly?: readonly string[];
  /** Any change makes the resource anew. */
  readonly isImmutable?: boolean;
  /** When it is made anew, the old one goes before the new one comes. */
  readonly isDeletedFirst?: boolean;
}

const UNKNOWN: ResourceSchema = {};

/** A type that is not in the data has no rules: what is said of it would be guessed. */
export function schemaOf(schemas: { readonly [type: string]: ResourceSchema }, type: string): ResourceSchema {
  return schemas[type] ?? UNKNOWN;
}

/** Names of these are unique in an account, not in each of its Regions. */
export const ACCOUNT_WIDE: ReadonlySet<string> = new Set([
  'AWS::CloudWatch::Dashboard',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Role',
  'AWS::S3::Bucket',
]);

/** Properties that the schemas take for changeable, and whose change the service refuses. */
export const UNCHANGEABLE: { readonly [type: string]: { readonly [property: string]: string } } = {
  'AWS::Scheduler::Schedule': {
    GroupName: 'EventBridge Scheduler looks for the schedule in the new group, where it is not',
  },
};

/** What a service keeps apart by more than the identity that CloudFormation knows. */
export const SERVICE_IDENTITY: { readonly [type: string]: readonly string[] } = {
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'FunctionName'],
  'AWS::SNS::Subscription': ['TopicArn', 'Protocol', 'Endpoint'],
};

/** Made anew, these begin empty. */
export const HOLDS_DATA: ReadonlySet<string> = new Set([
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::S3::Bucket',
  'AWS::SQS::Queue',
]);
