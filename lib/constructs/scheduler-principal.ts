import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { shortArn } from './short-arn.ts';

/** EventBridge Scheduler, for schedules of this group only: a role for it cannot be borrowed by somebody else's. */
export function schedulerPrincipal(scope: Construct, scheduleGroupName: string): ServicePrincipal {
  return new ServicePrincipal('scheduler.amazonaws.com', {
    conditions: {
      StringEquals: {
        'aws:SourceAccount': Stack.of(scope).account,
        'aws:SourceArn': shortArn(scope, 'scheduler', `schedule-group/${scheduleGroupName}`),
      },
    },
  });
}
