import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** EventBridge Scheduler, for schedules of this group only: a role for it cannot be borrowed by somebody else's. */
export function schedulerPrincipal(scope: Construct, scheduleGroupName: string): ServicePrincipal {
  const stack = Stack.of(scope);
  return new ServicePrincipal('scheduler.amazonaws.com', {
    conditions: {
      StringEquals: {
        'aws:SourceAccount': stack.account,
        'aws:SourceArn': stack.formatArn({
          service: 'scheduler',
          resource: 'schedule-group',
          resourceName: scheduleGroupName,
        }),
      },
    },
  });
}
