import type { ResourceSchema } from './resource-schema.ts';

/** Written by toolchain/resource-schemas.py: change that, not this. */
export const RESOURCE_SCHEMAS_SOURCE =
  'AWS resource schemas of us-east-1, 2026-10-20T22:11:15Z, as cfn-lint 1.58.0 ships them';

export const RESOURCE_SCHEMAS: { readonly [type: string]: ResourceSchema } = {
  'AWS::CloudWatch::Alarm': { identity: ['AlarmName'], createOnly: ['AlarmName'] },
  'AWS::CloudWatch::AlarmMuteRule': { identity: ['Name'], createOnly: ['Name'] },
  'AWS::CloudWatch::CompositeAlarm': { identity: ['AlarmName'], createOnly: ['AlarmName'] },
  'AWS::CloudWatch::Dashboard': { identity: ['DashboardName'], createOnly: ['DashboardName'] },
  'AWS::DynamoDB::GlobalTable': {
    identity: ['TableName'],
    createOnly: ['TableName'],
    conditionallyCreateOnly: ['GlobalTableSourceArn', 'KeySchema', 'LocalSecondaryIndexes'],
  },
  'AWS::DynamoDB::Table': {
    identity: ['TableName'],
    createOnly: ['ImportSourceSpecification', 'TableName'],
    conditionallyCreateOnly: ['KeySchema'],
  },
  'AWS::EC2::EIP': { createOnly: ['Address', 'IpamPoolId', 'NetworkBorderGroup', 'TransferAddress'] },
  'AWS::EC2::InternetGateway': {},
  'AWS::EC2::NatGateway': {
    createOnly: ['AllocationId', 'AvailabilityMode', 'ConnectivityType', 'PrivateIpAddress', 'SubnetId', 'VpcId'],
  },
  'AWS::EC2::Route': {
    createOnly: ['DestinationCidrBlock', 'DestinationIpv6CidrBlock', 'DestinationPrefixListId', 'RouteTableId'],
  },
  'AWS::EC2::RouteTable': { createOnly: ['VpcId'] },
  'AWS::EC2::SecurityGroup': { identity: ['GroupName'], createOnly: ['GroupDescription', 'GroupName', 'VpcId'] },
  'AWS::EC2::SecurityGroupEgress': {
    createOnly: [
      'CidrIp',
      'CidrIpv6',
      'DestinationPrefixListId',
      'DestinationSecurityGroupId',
      'FromPort',
      'GroupId',
      'IpProtocol',
      'ToPort',
    ],
  },
  'AWS::EC2::SecurityGroupIngress': {
    createOnly: [
      'CidrIp',
      'CidrIpv6',
      'FromPort',
      'GroupId',
      'GroupName',
      'IpProtocol',
      'SourcePrefixListId',
      'SourceSecurityGroupId',
      'SourceSecurityGroupName',
      'SourceSecurityGroupOwnerId',
      'ToPort',
    ],
  },
  'AWS::EC2::Subnet': {
    createOnly: [
      'AvailabilityZone',
      'AvailabilityZoneId',
      'CidrBlock',
      'Ipv4IpamPoolId',
      'Ipv4NetmaskLength',
      'Ipv6IpamPoolId',
      'Ipv6Native',
      'Ipv6NetmaskLength',
      'OutpostArn',
      'VpcId',
    ],
    conditionallyCreateOnly: ['Ipv6CidrBlock'],
  },
  'AWS::EC2::SubnetRouteTableAssociation': {
    createOnly: ['RouteTableId', 'SubnetId'],
    isImmutable: true,
    isDeletedFirst: true,
  },
  'AWS::EC2::VPC': {
    createOnly: ['CidrBlock', 'Ipv4IpamPoolId', 'Ipv4NetmaskLength', 'VpcEncryptionControl'],
    conditionallyCreateOnly: ['InstanceTenancy'],
  },
  'AWS::EC2::VPCEndpoint': {
    createOnly: [
      'DnsOptions',
      'ResourceConfigurationArn',
      'ServiceName',
      'ServiceNetworkArn',
      'ServiceRegion',
      'VpcEndpointType',
      'VpcId',
    ],
  },
  'AWS::EC2::VPCGatewayAttachment': { createOnly: ['VpcId'], isDeletedFirst: true },
  'AWS::ECR::Repository': { identity: ['RepositoryName'], createOnly: ['EncryptionConfiguration', 'RepositoryName'] },
  'AWS::Events::Archive': { identity: ['ArchiveName'], createOnly: ['ArchiveName', 'SourceArn'] },
  'AWS::Events::EventBus': { identity: ['Name'], createOnly: ['Name'] },
  'AWS::Events::EventBusPolicy': {
    identity: ['EventBusName', 'StatementId'],
    createOnly: ['EventBusName', 'StatementId'],
  },
  'AWS::Events::Rule': {
    identity: ['Name', 'EventBusName'],
    createOnly: ['Name'],
    conditionallyCreateOnly: ['EventBusName'],
  },
  'AWS::IAM::ManagedPolicy': {
    identity: ['ManagedPolicyName'],
    createOnly: ['Description', 'ManagedPolicyName', 'Path'],
  },
  'AWS::IAM::Policy': {},
  'AWS::IAM::Role': { identity: ['RoleName'], createOnly: ['Path', 'RoleName'] },
  'AWS::IAM::RolePolicy': { identity: ['PolicyName', 'RoleName'], createOnly: ['PolicyName', 'RoleName'] },
  'AWS::KMS::Alias': { identity: ['AliasName'], createOnly: ['AliasName'] },
  'AWS::KMS::Key': {},
  'AWS::Lambda::Alias': { identity: ['Name', 'FunctionName'], createOnly: ['FunctionName', 'Name'] },
  'AWS::Lambda::EventInvokeConfig': {
    identity: ['FunctionName', 'Qualifier'],
    createOnly: ['FunctionName', 'Qualifier'],
  },
  'AWS::Lambda::EventSourceMapping': {
    createOnly: ['EventSourceArn', 'SelfManagedEventSource', 'StartingPosition', 'StartingPositionTimestamp'],
  },
  'AWS::Lambda::Function': {
    identity: ['FunctionName'],
    createOnly: ['FunctionName', 'PackageType', 'TenancyConfig'],
    conditionallyCreateOnly: ['DurableConfig'],
  },
  'AWS::Lambda::LayerVersion': {
    createOnly: ['CompatibleArchitectures', 'CompatibleRuntimes', 'Content', 'Description', 'LayerName', 'LicenseInfo'],
    isImmutable: true,
  },
  'AWS::Lambda::Permission': {
    createOnly: [
      'Action',
      'EventSourceToken',
      'FunctionName',
      'FunctionUrlAuthType',
      'InvokedViaFunctionUrl',
      'Principal',
      'PrincipalOrgID',
      'SourceAccount',
      'SourceArn',
    ],
    isImmutable: true,
  },
  'AWS::Lambda::Url': { createOnly: ['Qualifier', 'TargetFunctionArn'] },
  'AWS::Lambda::Version': {
    createOnly: ['CodeSha256', 'Description', 'FunctionName', 'ProvisionedConcurrencyConfig', 'RuntimePolicy'],
  },
  'AWS::Logs::LogGroup': { identity: ['LogGroupName'], createOnly: ['LogGroupName'] },
  'AWS::Logs::LogStream': {
    identity: ['LogGroupName', 'LogStreamName'],
    createOnly: ['LogGroupName', 'LogStreamName'],
    isImmutable: true,
  },
  'AWS::Logs::MetricFilter': {
    identity: ['LogGroupName', 'FilterName'],
    createOnly: ['FilterName', 'LogGroupName'],
    isDeletedFirst: true,
  },
  'AWS::Logs::QueryDefinition': {},
  'AWS::Logs::SubscriptionFilter': {
    identity: ['FilterName', 'LogGroupName'],
    createOnly: ['FilterName', 'LogGroupName'],
    isDeletedFirst: true,
  },
  'AWS::S3::Bucket': { identity: ['BucketName'], createOnly: ['BucketName', 'BucketNamePrefix', 'BucketNamespace'] },
  'AWS::S3::BucketPolicy': { identity: ['Bucket'], createOnly: ['Bucket'] },
  'AWS::SNS::Subscription': { createOnly: ['Endpoint', 'Protocol', 'TopicArn'], conditionallyCreateOnly: ['Region'] },
  'AWS::SNS::Topic': { identity: ['TopicName'], createOnly: ['FifoTopic', 'TopicName'] },
  'AWS::SNS::TopicPolicy': {},
  'AWS::SQS::Queue': { identity: ['QueueName'], createOnly: ['FifoQueue', 'QueueName'] },
  'AWS::SQS::QueuePolicy': {},
  'AWS::SSM::Parameter': { identity: ['Name'], createOnly: ['Name'] },
  'AWS::Scheduler::Schedule': { identity: ['Name'], createOnly: ['Name'] },
  'AWS::Scheduler::ScheduleGroup': { identity: ['Name'], createOnly: ['Name'] },
  'AWS::SecretsManager::Secret': { identity: ['Name'], createOnly: ['Name'] },
  'AWS::StepFunctions::StateMachine': {
    identity: ['StateMachineName'],
    createOnly: ['StateMachineName', 'StateMachineType'],
  },
};
