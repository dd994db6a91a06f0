import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { scheduleName } from '../domain/contract/names.ts';
import type { JobDeclaration } from './job-declaration.ts';
import type { JobScheduler } from './job-scheduler.ts';

/** How long EventBridge Scheduler tries to hand an event to Lambda. By then the watchdog has recorded it as missed. */
const LONGEST_DELIVERY_SECONDS = 3600;
const MOST_DELIVERY_RETRIES = 185;

/** The schedules that fire a job: several where EventBridge cannot say it in one. */
export function createSchedules(
  scope: Construct,
  scheduler: JobScheduler,
  { name, definition, options, awsSchedules }: JobDeclaration,
  target: { readonly functionArn: string; readonly roleArn: string },
): CfnSchedule[] {
  return awsSchedules.map(({ expression, timeZone, everyMs }, index) => {
    const schedule = new CfnSchedule(scope, index === 0 ? 'Schedule' : `Schedule${index + 1}`, {
      name: scheduleName(scheduler.prefix, name, index),
      groupName: scheduler.scheduleGroupName,
      scheduleExpression: expression,
      scheduleExpressionTimezone: timeZone,
      state: options.enabled ? 'ENABLED' : 'DISABLED',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: target.functionArn,
        roleArn: target.roleArn,
        input: JSON.stringify({
          job: name,
          scheduledTime: '<aws.scheduler.scheduled-time>',
          revision: definition.revision,
          everyMs,
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
    return schedule;
  });
}
