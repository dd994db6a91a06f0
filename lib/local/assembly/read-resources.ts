import { Intrinsics } from './intrinsics.ts';
import { readAlarms } from './read-alarms.ts';
import { readFunctions } from './read-functions.ts';
import { readSchedules } from './read-schedules.ts';
import { readStreams } from './read-streams.ts';
import { readTables } from './read-tables.ts';
import type { LocalResources } from './resources.ts';
import type { Stack } from './template.ts';

/** Types that are run, or that have nothing to do here. */
const RUN = new Set([
  'AWS::DynamoDB::Table',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Lambda::Function',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Scheduler::Schedule',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::CloudWatch::Alarm',
  'AWS::SQS::Queue',
  'AWS::SNS::Topic',
  'AWS::Events::EventBus',
]);
const NOTHING_TO_DO =
  /^(AWS::IAM::.*|AWS::Logs::LogGroup|AWS::CDK::Metadata|AWS::(SQS::Queue|SNS::Topic)Policy|AWS::Lambda::Permission|AWS::KMS::(Key|Alias))$/;
const MEANING: { readonly [type: string]: string } = {
  'AWS::CloudWatch::CompositeAlarm': 'composite alarms are not evaluated; the alarms they combine are',
  'AWS::CloudWatch::Dashboard': 'dashboards are drawn by CloudWatch only',
  'AWS::SNS::Subscription': 'alarms are printed, nothing is sent to their subscribers',
  'AWS::Logs::MetricFilter': 'metric filters are not applied to the logs, so their metrics have no data',
  'AWS::Events::Rule': 'EventBridge rules do not fire; only EventBridge Scheduler schedules do',
  'AWS::CloudFormation::Stack': 'nested stacks are not read, so nothing they declare exists',
};

/** Reads what the local runtime runs out of an environment's stacks. */
export function readResources(stacks: readonly Stack[]): LocalResources {
  const intrinsics = new Intrinsics(stacks);
  const notes: string[] = [];
  const queues = new Map<string, string>();
  const topics = new Map<string, string>();
  const scheduleGroups = new Set<string>();
  const buses = new Set<string>();
  const others = new Map<string, string[]>();
  for (const { stack, logicalId, resource } of intrinsics.resources()) {
    if (resource.Type === 'AWS::SQS::Queue') {
      queues.set(intrinsics.attribute(stack, logicalId, 'Arn'), intrinsics.attribute(stack, logicalId, 'QueueName'));
    } else if (resource.Type === 'AWS::SNS::Topic') {
      topics.set(
        intrinsics.attribute(stack, logicalId, 'TopicArn'),
        intrinsics.attribute(stack, logicalId, 'TopicName'),
      );
    } else if (resource.Type === 'AWS::Scheduler::ScheduleGroup') {
      scheduleGroups.add(intrinsics.reference(stack, logicalId));
    } else if (resource.Type === 'AWS::Events::EventBus') {
      buses.add(intrinsics.reference(stack, logicalId));
    } else if (!RUN.has(resource.Type) && !NOTHING_TO_DO.test(resource.Type)) {
      others.set(resource.Type, [...(others.get(resource.Type) ?? []), logicalId]);
    }
  }
  for (const [type, logicalIds] of others) {
    notes.push(
      `${type} (${shorten(logicalIds)}): ${MEANING[type] ?? 'not run locally; what depends on it sees nothing of it'}`,
    );
  }
  return {
    tables: readTables(intrinsics),
    functions: readFunctions(intrinsics, notes),
    schedules: readSchedules(intrinsics, notes),
    alarms: readAlarms(intrinsics, notes),
    queues,
    topics,
    scheduleGroups,
    streams: readStreams(intrinsics, notes),
    buses,
    notes,
  };
}

function shorten(logicalIds: readonly string[]): string {
  return logicalIds.length > 3
    ? `${logicalIds.slice(0, 3).join(', ')} and ${logicalIds.length - 3} more`
    : logicalIds.join(', ');
}
