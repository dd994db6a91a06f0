import { PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { acknowledgeWildcards } from './acknowledge-wildcards.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { schedulerPrincipal } from './scheduler-principal.ts';

export interface WakeUps {
  /** What the runtime is told. */
  readonly variables: Readonly<Record<string, string>>;
  /** What the function may do, so that it can arm them. */
  readonly statements: readonly PolicyStatement[];
  /** Says to cdk-nag why, on the function's role. */
  acknowledge(role: Role): void;
}

/**
 * Lets a function arm one-time schedules that invoke the function itself: retries and continuations then come in their
 * minute, to which EventBridge keeps. The role that those schedules get can invoke this one function only, so that no job can have another one run.
 *
 * @param jobs what the names of its schedules begin with, as a pattern
 */
export function createWakeUps(scope: Construct, scheduler: JobScheduler, functionName: string, jobs: string): WakeUps {
  const role = new Role(scope, 'WakeUpRole', {
    description: `One-time schedules invoke ${functionName}`,
    assumedBy: schedulerPrincipal(scope, scheduler.scheduleGroupName),
    inlinePolicies: {
      InvokeItself: new PolicyDocument({
        statements: [
          new PolicyStatement({
            actions: ['lambda:InvokeFunction'],
            resources: [scheduler.functionArnOf(scope, functionName)],
          }),
        ],
      }),
    },
  });
  const schedules = Stack.of(scope).formatArn({
    service: 'scheduler',
    resource: 'schedule',
    resourceName: `${scheduler.scheduleGroupName}/${jobs}`,
  });
  return {
    variables: { BELFRY_WAKE_UP_GROUP: scheduler.scheduleGroupName, BELFRY_WAKE_UP_ROLE: role.roleArn },
    statements: [
      new PolicyStatement({ sid: 'OwnWakeUps', actions: ['scheduler:CreateSchedule'], resources: [schedules] }),
      new PolicyStatement({
        sid: 'RoleOfWakeUps',
        actions: ['iam:PassRole'],
        resources: [role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      }),
    ],
    acknowledge: (jobRole) =>
      acknowledgeWildcards(jobRole, [schedules], {
        reason: 'one-time schedules are named by job, instant and attempt, in the group of this scheduler',
      }),
  };
}
